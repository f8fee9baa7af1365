"""Cases of scipy.signal. The second text was set aside while the mirror was written."""
# ruff: noqa: E501  (a line of cases is one thing after the other)

CASES = """
sig.hilbert(z) | sig.hilbert(A, axis=0) | sig.deconvolve(z[:7], p[:3]) | sig.deconvolve(u, w)[1]
sig.convolve(x, u) | sig.convolve(A, N, "same") | sig.convolve(z, v, "valid") | sig.convolve(C, K[:2, :2])
sig.convolve(u, z, "valid") | sig.convolve(B, B[:, :2, :3], "same") | sig.fftconvolve(z, v) | sig.fftconvolve(A, N, "valid", axes=1)
sig.correlate(z, v) | sig.correlate(x, C[0], "same") | sig.correlate(u, z, "valid") | sig.convolve2d(W, N)
sig.convolve2d(A, N[:2, :2], "same", "wrap") | sig.convolve2d(W, N, "same", "symm") | sig.convolve2d(A, K[:2, :2], "full", "fill", 0.7)
sig.correlate2d(A, N[:2], "same", "symm") | sig.correlate2d(C, K, "valid") | sig.oaconvolve(z, u, "same")
sig.lfilter(v, w + 4 * np.eye(4)[0], z) | sig.lfilter(u, y[:2] + 3 * np.eye(2)[0], B, axis=1) | sig.lfilter(u, [2.0], z)
sig.lfilter(u, w + 4 * np.eye(4)[0], z, zi=y) | sig.lfilter(v, [1.0, 0.5], A, zi=A[:, :3]) | sig.lfilter(v[:2], C[0] + 4 * np.eye(4)[0], z)
sig.sosfilt(sos, z) | sig.sosfilt(sos, A, axis=0) | sig.sosfilt(sos, z, zi=N[:2, :2]) | sig.lfilter_zi(v, w + 4 * np.eye(4)[0])
sig.filtfilt(u, w[:2] + 3 * np.eye(2)[0], z) | sig.filtfilt(u, [1.0, -0.5], A, axis=0, padtype="even", padlen=2) | sig.savgol_filter(z, 7, 2)
sig.savgol_filter(A, 3, 1, axis=0, mode="wrap") | sig.savgol_filter(z, 5, 3, deriv=1, delta=0.5, mode="nearest")
sig.detrend(z) | sig.detrend(A, axis=0, type="constant") | sig.detrend(z, bp=[5, 11])
sig.periodogram(z)[1] | sig.periodogram(A, 2.0, "hann", 6, False, axis=0) | sig.periodogram(C, scaling="spectrum") | sig.periodogram(z, window=z[:7] + 1, nfft=7)[1]
sig.welch(z, nperseg=8)[1] | sig.welch(z, 3.0, z[:5] + 2, scaling="spectrum", detrend="linear") | sig.welch(B, nperseg=4, axis=-1, nfft=5) | sig.csd(z, z[::-1], nperseg=8)
sig.csd(A, B[0], nperseg=4, average="mean") | sig.coherence(z, z[::-1] ** 2, nperseg=8)[1] | sig.stft(z, nperseg=8) | sig.spectrogram(z, nperseg=8)
sig.savgol_filter(z, 5, 2, mode="constant", cval=s) | sig.savgol_filter(z, 5, 2, deriv=1, delta=p[0]) | sig.savgol_filter(A, 3, 2, deriv=2, delta=p[0], mode="constant", cval=s) | sig.convolve2d(A, N, fillvalue=s) | sig.correlate2d(A, N, "same", fillvalue=s)
sig.welch(z, p[0], nperseg=8) | sig.csd(z, z[::-1], p[0], nperseg=8) | sig.periodogram(z, p[0]) | sig.stft(z, p[0], nperseg=8, scaling="psd") | sig.spectrogram(z, p[0], z[:8]) | sig.coherence(z, z[::-1] ** 2, p[0], z[:8])
sig.spectrogram(z, p[0], z[:8], mode="phase", detrend=False)[2][1:-1] | sig.spectrogram(C, p[0], nperseg=3, mode="phase", detrend=False, return_onesided=False)[2] | sig.spectrogram(A + 3, nperseg=3, axis=0, mode="phase", detrend=False)[2][1:]
sig.istft(C, p[0]) | sig.istft(B, p[0], w, scaling="psd") | sig.istft(B + 1j * B[::-1], window=w, nperseg=4, noverlap=3, boundary=False) | sig.istft(B, nperseg=5) | sig.istft(C, input_onesided=False, time_axis=0, freq_axis=1) | sig.istft(B, time_axis=0, freq_axis=2, nperseg=4, nfft=7) | sig.istft(z.reshape(4, 6) + 0j, window=z[:5], nperseg=5, noverlap=4, boundary=False)
sig.lombscargle(k, f, p) | sig.lombscargle(k, f, p, normalize=True, floating_mean=True) | sig.lombscargle(k, f, p[:1], normalize="amplitude", weights=np.exp(z[12:18])) | sig.lombscargle(k, f, p, floating_mean=True, weights=np.exp(z[12:18]), normalize="amplitude") | sig.lombscargle(k, f, p, normalize="normalize", weights=np.exp(z[12:18]))
sig.welch(z, nperseg=8, detrend=lambda d: d - s * d[..., :1]) | sig.welch(B, nperseg=3, axis=1, detrend=lambda d: d * s) | sig.csd(A, B[0], nperseg=4, axis=1, detrend=lambda d: np.tanh(d * s)) | sig.stft(z, nperseg=8, detrend=lambda d: s * d**2) | sig.spectrogram(z, nperseg=8, detrend=lambda d: d - s * d.mean(-1, keepdims=True)) | sig.welch(np.arange(20.0), nperseg=8, detrend=lambda d: d**2 * s) | sig.coherence(z, z[::-1] ** 2, nperseg=8, detrend=lambda d: d - s * d[..., :1]) | sig.periodogram(z, detrend=lambda d: d - s)
"""

SET_ASIDE = """
sig.hilbert(A, 7) | sig.hilbert(B, 4, 1) | sig.deconvolve(z[:5], d) | sig.deconvolve(v, p[0])
sig.convolve(u, x, "same") | sig.convolve(A, W) | sig.convolve(A, N[:2, :2], "valid", "direct") | sig.convolve(z, z, method="fft")
sig.convolve(N[:2, :2], A, "same") | sig.convolve(C[0], C[1], "full") | sig.fftconvolve(A, W[:1], "same", axes=-1) | sig.fftconvolve(u, z, "valid")
sig.fftconvolve(B, B[:1, :1], axes=(0, 1)) | sig.correlate(A, N, "same") | sig.correlate(v, C[1]) | sig.correlate(C, K[:2], "valid")
sig.correlate(x, v[:2], "same") | sig.correlate(v, z, "same") | sig.correlate(B, B[:, :2, :2], "valid", "fft") | sig.convolve2d(A, N, "same")
sig.convolve2d(A, N[:2, :3], "full", "wrap") | sig.convolve2d(A, N[:, :2], "full", "symm") | sig.convolve2d(N, W, "valid")
sig.convolve2d(W, N[:2, :2], "same", "fill", 1.5) | sig.correlate2d(W, N) | sig.correlate2d(W, N[:2, :2], "same", "wrap") | sig.correlate2d(N, W, "valid")
sig.correlate2d(A, K[:2, :2], "full", "symm") | sig.correlate2d(W, N[:2, :3], "same", "fill", -0.5) | sig.oaconvolve(z, v, "valid") | sig.oaconvolve(A, N)
sig.lfilter(z[:6], u + 3 * np.eye(3)[0], A) | sig.lfilter([0.5, 0.2], u + 3 * np.eye(3)[0], T, axis=0) | sig.lfilter(v, w[:1] + 2, z, zi=y)
sig.lfilter(v, u + 3 * np.eye(3)[0], B, 1, B[:1]) | sig.lfilter(u, w[:2] + 2 * np.eye(2)[0], A, zi=N[:, :2]) | sig.lfilter(v, w + 4 * np.eye(4)[0], z[:2], zi=y)
sig.lfilter(C[0], u + 3 * np.eye(3)[0], C[1]) | sig.sosfilt(sos[:1], B, axis=1) | sig.sosfilt(sos, T, 0, np.stack([T[:2, :3], A[1:, :3]]))
sig.sosfilt(sos, C) | sig.lfilter_zi(u, [1.0, -0.3, 0.1, 0.2]) | sig.sosfilt_zi(sos) | sig.sosfiltfilt(sos, z) | sig.sosfiltfilt(sos, z, padtype="constant", padlen=4)
sig.filtfilt(v, w + 4 * np.eye(4)[0], z, padlen=5) | sig.filtfilt(v, [2.0], z, padtype=None) | sig.filtfilt(u, w[:2] + 3 * np.eye(2)[0], z, padtype="constant")
sig.savgol_filter(z, 6, 2) | sig.savgol_filter(A, 3, 2, axis=0, mode="interp") | sig.savgol_filter(z, 5, 2, mode="constant", cval=0.4) | sig.savgol_filter(B, 3, 1, 1, mode="mirror")
sig.detrend(A) | sig.detrend(B, axis=1) | sig.detrend(B, axis=0, type="constant", bp=1) | sig.detrend(z, type="constant", bp=[3, 9])
sig.welch(z, nperseg=6, average="median") | sig.welch(z[:12] + 1j * z[12:], nperseg=5, noverlap=3) | sig.welch(z, nperseg=7, return_onesided=False) | sig.periodogram(B, axis=1)
sig.csd(z, z[:12] ** 2, nperseg=7, noverlap=2, average="median", detrend=False) | sig.csd(z[:9], z[9:] ** 2, 2.0, z[:5], nfft=9) | sig.csd(C[0], C[1], nperseg=4) | sig.csd(A.T, B[0].T, nperseg=3, axis=0)
sig.coherence(A, B[1] ** 2, nperseg=2, detrend=False) | sig.stft(z, nperseg=7, boundary="even", scaling="psd") | sig.stft(A, nperseg=3, boundary="odd", padded=False, axis=0) | sig.stft(C, nperseg=2, boundary=None, return_onesided=False)
sig.stft(z, 2.0, z[:6] ** 2, 6, 4, 9, boundary="constant") | sig.spectrogram(z, nperseg=5, mode="magnitude") | sig.spectrogram(A, nperseg=3, axis=0, mode="complex") | sig.spectrogram(C, 2.0, nperseg=2, noverlap=1, return_onesided=False, scaling="spectrum") | sig.spectrogram(z, nperseg=9, mode="angle", detrend=False)[2][1:-1]
"""
