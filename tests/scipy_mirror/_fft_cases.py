"""Cases of scipy.fft. The second text was set aside while the mirror was written."""
# ruff: noqa: E501  (a line of cases is one thing after the other)

CASES = """
F.fft(v) | F.fft(A, 6, 0) | F.fft(C, norm="ortho") | F.ifft(C) | F.ifft(v, 3, norm="forward") | F.fft2(A)
F.ifft2(C, (2, 5)) | F.fftn(B, axes=(0, 2)) | F.ifftn(B) | F.rfft(z) | F.rfft(A, 5, axis=0) | F.irfft(C)
F.irfft(C, 5, norm="ortho") | F.rfft2(A) | F.irfft2(C, (3, 5)) | F.rfftn(B, (2, 2)) | F.irfftn(C) | F.hfft(C)
F.ihfft(v) | F.hfft2(C) | F.ihfft2(A) | F.hfftn(C, (3, 4)) | F.ihfftn(A) | F.fftshift(A) | F.ifftshift(A, axes=1)
F.dct(v) | F.dct(A, 1) | F.dct(A, 3, axis=0) | F.dct(v, 4) | F.dct(v, norm="ortho") | F.dct(C, 2)
F.dct(v, 1, norm="ortho") | F.dct(v, 3, 6, norm="forward") | F.idct(v) | F.idct(A, 1, norm="ortho") | F.idct(v, 3, 3)
F.dst(v) | F.dst(A, 1) | F.dst(v, 3) | F.dst(v, 4) | F.dst(v, 2, norm="ortho") | F.idst(v) | F.idst(A, 3, axis=0)
F.dctn(A) | F.idctn(A, 3, (2, 2), norm="ortho") | F.dstn(B, axes=(0, 1)) | F.idstn(A)
F.fftfreq(5, p[0])[1:3] | F.rfftfreq(5, p[0])
"""

SET_ASIDE = """
F.fft(z, 7) | F.fft(A, axis=0, norm="forward") | F.ifft(A, 5) | F.fft(C, overwrite_x=True) | F.fft2(A, (2, 5), norm="ortho")
F.ifft2(A) | F.fftn(A, (3, 3)) | F.ifftn(C, (2, 3), (1, 0)) | F.rfft(v, 3) | F.rfft(A, norm="ortho") | F.irfft(C, 4, axis=0)
F.irfft(v) | F.rfft2(B, axes=(1, 0)) | F.irfft2(C) | F.rfftn(A, norm="forward") | F.irfftn(C, (2, 3), norm="ortho")
F.hfft(v, 5) | F.ihfft(A, 3, 0, "ortho") | F.hfft2(C, (2, 4)) | F.ihfft2(A, norm="forward") | F.hfftn(C) | F.ihfftn(B)
F.fftshift(v) | F.ifftshift(B) | F.dct(A, 2, 6) | F.dct(v, 1, 3) | F.dct(v, 3, norm="ortho") | F.dct(v, 4, norm="ortho")
F.dct(v, 2, orthogonalize=True) | F.dct(v, 3, norm="ortho", orthogonalize=False) | F.dct(v, 1, orthogonalize=True)
F.idct(A, 4, axis=0) | F.idct(v, 2, norm="ortho") | F.idct(v, 2, norm="forward") | F.idct(C, 3) | F.idct(v, 1, 6)
F.dst(v, 1, norm="ortho") | F.dst(v, 3, norm="ortho") | F.dst(C, 4) | F.dst(A, 2, 3, 0, "forward") | F.idst(v, 1)
F.idst(v, 2, norm="ortho") | F.idst(v, 4, norm="forward") | F.dst(v, 3, orthogonalize=True) | F.dctn(B, 3, (2, 5), (2, 0))
F.dctn(A, 4, norm="ortho") | F.idctn(B, 1, axes=(1, 2)) | F.dstn(A, 3, (2, 2), norm="forward") | F.idstn(A, 1, norm="ortho")
"""
