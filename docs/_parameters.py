"""What parameters mean that mean the same in every function: `_docstrings.py` writes their entries from here.

A line per meaning: names, type, meaning; names with a module or a function hold there. A function whose docstring has a section on
its parameters says it itself.
"""

# ruff: noqa: E501  (a meaning is a line)

from __future__ import annotations

MEANINGS = """
input | tensor, array or number | The operand.
A | tensor or array | A matrix, or a batch of matrices.
B, other | tensor, array or number | The second operand.
mat, mat1, mat2 | tensor or array | A matrix.
vec, vec1, vec2 | tensor or array | A vector.
batch1, batch2 | tensor or array | A batch of matrices.
tensor, tensor1, tensor2, end | tensor, array or number | A further operand.
tensors, matrices | tensors | The operands: separately, or in one sequence.
condition, mask | tensor or array of bool | Where it holds.
out | Tensor | Where the result is written; it is returned.
dim, dims, axis, axes | int or tuple of ints | The dimension to work along, or several; from the end if negative.
dim0, dim1, axis0, axis1, dim2 | int | Two dimensions, from the end if negative.
keepdim, keepdims | bool | Whether a reduced dimension stays, with size 1.
size, shape, sizes_, repeats | int or tuple of ints | Sizes: separately, or in one sequence.
dtype | dtype | The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
device, layout, memory_format, pin_memory, non_blocking | | Taken for PyTorch's sake: there is one device and one layout.
requires_grad | bool | Whether gradients flow to the new tensor.
name | str | What formulas and errors call it.
generator | Generator | What draws the numbers; the global generator if it is left out.
index, indices | tensor of ints | Places along the dimension.
source, src, value, values, fill_value | tensor or number | What is put there.
accumulate | bool | Whether it is added to what is there.
diagonal, offset | int | Which diagonal: 0 is the main one, 1 the one above it.
upper, UPLO | bool | Which triangle of the matrix counts.
left | bool | Whether the matrix stands on the left of the unknown.
transpose | bool | Whether the matrix is transposed.
unitriangular | bool | Whether its diagonal is taken to be 1.
hermitian | bool | Whether the matrix is taken to be Hermitian.
rtol, atol, tol, rcond | float | Relative or absolute tolerance.
equal_nan | bool | Whether NaN equals NaN.
sorted | bool | Whether the values come in order.
stable | bool | Whether equal values keep their order.
descending, largest | bool | Whether the largest comes first.
return_inverse | bool | Whether to return, too, where each value went.
return_counts | bool | Whether to return, too, how often each value came.
eps | float | What keeps a quotient finite.
target | tensor or array | What is to be predicted.
weight, weights, pos_weight | tensor or array | Factors: of classes, of entries, of positive entries.
reduction | {'mean', 'sum', 'none'} | What is made of the loss of each entry.
size_average, reduce | bool | PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
ignore_index | int | The class that does not count.
label_smoothing | float | How much of each target is spread over all classes.
log_input, log_target | bool | Whether this operand is given as its logarithm.
full | bool | Whether terms that do not depend on the input are kept.
in_channels, out_channels, in_features, out_features, in1_features, in2_features, num_features, normalized_shape | int | Sizes of what comes in and goes out.
num_classes | int | The number of classes; found from the data if negative.
kernel_size, stride, padding, dilation | int or tuple of ints | Of the sliding window: its size, step, margin and spacing.
groups | int | Into how many separate parts the channels fall.
count_include_pad | bool | Whether margins count in a mean.
divisor_override | int | What sums are divided by.
padding_mode | str | What is beyond the edge.
bias | bool or tensor | What is added, or whether something is.
affine | bool | Whether a factor and a bias are learnt.
momentum | float | How fast running figures follow.
track_running_stats | bool | Whether there are running figures.
inplace | bool | Whether the input is written over.
func, f, fn | callable | A function of tensors or arrays.
inputs | tensor or tuple of tensors | What the function is differentiated at.
argnums | int or tuple of ints | The arguments that it is differentiated in.
holomorphic | bool | Whether it is a holomorphic function of complex numbers, whose complex derivative is asked.
has_aux | bool | Whether the function returns a pair, whose second part is handed through.
v | tensor or tuple of tensors | The vector of the product.
parameters | iterable of tensors | The tensors in question.
mean, std | float or tensor | The mean and the standard deviation of the numbers.
low, high, min, max, min_val, max_val, start | number | Bounds.
alpha, beta | number | A factor.
threshold, negative_slope, p, exponent, decimals, lambd | number | A number of the function's definition.
step | number | The distance between neighbours.
steps, n, m, row, col, k, num_samples, minlength, bins | int | How many.
split_size, split_size_or_sections, indices_or_sections, chunks | int or sequence of ints | Into how many parts, or how large they are, or where they begin.
start_dim, end_dim | int | The first and the last of the dimensions.
unflattened_size | tuple of ints | The sizes that it becomes.
approximate | {'none', 'tanh'} | Whether the distribution function is approximated.
some, full_matrices, compute_uv | bool | Which parts of the decomposition are wanted.
driver | str | Taken for PyTorch's sake.
sparse_grad, only_inputs, grad_variables, device_type | | Taken for PyTorch's sake.
replacement | bool | Whether what was drawn may be drawn again.
real, imag, abs, angle | tensor or array | The parts of the complex numbers.
mode, nonlinearity, norm_type | str | Which way is taken.
a, b | float | Bounds, or the slope of a leaky unit.
val | number | What the tensor is filled with.
seed | int | What the numbers follow from.
obj | object | What is saved.
x, y | tensor or array | Points, one row each.
order | {'C', 'F', 'A', 'K'} | How the elements follow each other in memory.
from_, to, type1, type2 | dtype | A dtype.
right | bool | Whether equal values count as smaller.
out_int32 | bool | Whether the places are int32.
sorted_sequence, boundaries | tensor or array | Values in increasing order.
ndarray | array | Its memory becomes the tensor's.
new_state | tensor | What `get_rng_state` returned.
sparse | bool | Whether it is sparse.
error_if_nonfinite | bool | Whether a norm that is not finite is an error.
force | bool | Whether a history is left behind.
copy | bool | Whether the memory is new in any case.
casting, subok | | As NumPy's; of no effect on tensors.
last_epoch | int | The step to go on from.
optimizer | Optimizer | Whose learning rate is set.
param | number | The slope of a leaky unit.
data | tensor, array, number or sequence | The values.
check_backward_ad | bool | Whether the Jacobian of reverse mode is compared.
shapes | tuples of ints | The shapes.
type | str | ``'cpu'``.
models | sequence of modules | Modules of one kind.
delta | float | Where the parabola becomes a line.
elementwise_affine | bool | Whether a factor and a bias are learnt.
modules | modules | What it holds.
training | bool | Whether entries are dropped at all.
padding_idx | int | The row that gets no gradient.
gain | float | A factor.
betas | tuple of floats | How slowly the running moments follow.
gamma | float | What the learning rate is multiplied with.
step_size | int | The number of epochs between two changes.
s | number | The value.
increasing | bool | Whether the powers increase from left to right.
nan, posinf, neginf | number | What replaces NaN and the infinities.
storage_offset | int | Where the view begins, in elements.
window_length | int | How many points the window has.
with_replacement | bool | Whether an element may be taken again.
dx | number | The distance between neighbours.
physical_layout | tuple of ints | The order of the dimensions in memory.
along, counts, split_sizes | int or tuple of ints | Numbers: separately, or in one sequence.
ext_tensor, buffer | object | What holds the memory.
count | int | How many to take.
density | bool | Whether the counts are made a density.
range | tuple of floats | From where to where the bins go.
elements, test_elements | tensor or array | What is looked for, and among what.
check_errors | bool | Whether to raise where the matrix does not allow it.
pivot | bool | Whether rows are exchanged.
LU_data, LU, LU_pivots, pivots | tensors | What `lu_factor` returned.
unpack_data, unpack_pivots | bool | Whether to return this part.
interpolation | str | What stands between two values.
tau | tensor | The factors of the reflections.
q, niter | int | The rank that is looked for, and the number of iterations.
adjoint | bool | Whether the system of the adjoint is solved.
invert, assume_unique | bool | Whether to say where not; taken for PyTorch's sake.
center | bool | Whether the mean is taken off first.
periodic | bool | Whether the window repeats without its last point.
level | int | Of nested levels the one that is meant; the innermost if it is left out.
return_indices | bool | Whether to return, too, where each maximum was.
ceil_mode | bool | Whether a window that is cut off at the end counts.
output_size, output_ratio | int, float or tuple | The sizes of the result, or their share of the input's.
output_padding | int or tuple of ints | By how much one side of the result is longer.
blank | int | The class that stands for no label.
zero_infinity | bool | Whether an infinite loss counts as zero.
margin | float | How far apart is far enough.
swap | bool | Whether the negative is compared with the positive, too.
distance_function | callable | The distance of two tensors.
anchor, positive, negative | tensor or array | What is compared, one example like it, and one unlike it.
input1, input2, x1, x2 | tensor or array | The two operands.
num_embeddings, embedding_dim | int | How many vectors there are, and how long they are.
max_norm | float | What longer vectors are scaled down to.
scale_grad_by_freq | bool | Whether gradients are divided by how often a row was picked.
include_last_offset | bool | Whether the last offset is the end of the last bag.
input_size, hidden_size, proj_size | int | The lengths of an input, of the state, and of its projection.
num_layers, num_encoder_layers, num_decoder_layers | int | How many layers follow each other.
batch_first | bool | Whether the batch is the first dimension, not the second.
bidirectional | bool | Whether the sequence is read backwards, too.
dropout, dropout_p | float | The probability that an entry is dropped.
num_groups, num_channels | int | Into how many groups how many channels fall.
num_parameters | int | How many slopes are learnt.
init | float | What they begin with.
upscale_factor, downscale_factor | int | By how much the image grows or shrinks.
scale_factor | float or tuple of floats | By how much each dimension grows.
align_corners | bool | Whether the corners keep their values.
recompute_scale_factor | bool | Whether the factor is taken from the sizes.
lower | float | Bounds of the random slope.
d_model, nhead, num_heads, dim_feedforward, embed_dim_to_check | int | The length of a vector, the number of heads, the width between.
activation | str or callable | What stands between two linear maps.
custom_encoder, custom_decoder, encoder_layer, decoder_layer, norm, module, dataset | object | The part in question.
layer_norm_eps | float | What keeps a quotient finite.
norm_first | bool | Whether each part is normalized before it is computed.
enable_nested_tensor, mask_check | bool | Taken for PyTorch's sake.
pad | int or tuple of ints | How much is added at each end.
running_mean, running_var | tensor | The running figures.
linear_weight, linear_bias | tensor | The weights of a linear map.
in_proj_weight, in_proj_bias, out_proj_weight, out_proj_bias | tensor | Weights of the projections.
q_proj_weight, k_proj_weight, v_proj_weight, bias_k, bias_v, static_k, static_v | tensor | Weights and further rows of queries, keys and values.
query, key | tensor or array | What asks, and what is compared with it.
add_zero_attn | bool | Whether a row of zeros is added.
need_weights, average_attn_weights | bool | Whether to return the weights, too, and their mean over the heads.
use_separate_proj_weight | bool | Whether each projection has weights of its own.
is_causal | bool | Whether each place sees only those before it.
sequence, sequences, packed_sequences, padded_sequences | tensors | The sequences, in the form that is named.
lengths | sequence of ints | How long each sequence is.
enforce_sorted | bool | Whether the longest comes first.
padding_value | number | What stands beyond the end of a sequence.
padding_side | {'right', 'left'} | On which side of it.
total_length | int | How long all become.
permutation | tensor | The order that is inverted.
options | | Further arguments.
enable | bool | Whether it is so.
datasets, data_source | datasets | What is read.
timeout, worker_init_fn, multiprocessing_context, persistent_workers, pin_memory_device, in_order | | Taken for PyTorch's sake: one process reads.
symgrad.optim.params | iterable of Tensor, of pairs of name and Tensor, or of dict | What is optimized.
symgrad.optim.eps | float | What keeps a quotient finite.
lr | float | Step length.
weight_decay | float | How much of the parameter is added to its gradient, or taken from the parameter.
decoupled_weight_decay | bool | Whether the weight decay shrinks the parameter itself: the averages know nothing of it.
maximize | bool | Ascend.
foreach, fused | bool | Taken for PyTorch's sake: a hint of speed.
capturable, differentiable | bool | Taken for PyTorch's sake: True is refused.
symgrad.repeat_interleave.output_size | int | Taken for PyTorch's sake.
symgrad.ops.index.index.set_subscript.value | tensor, array, number or sequence | What is put there.
symgrad.squeeze.more, symgrad.Tensor.squeeze.more | int | Further dimensions, in place of a tuple.
symgrad.movedim.source, symgrad.movedim.destination | int or tuple of ints | Dimensions, from the end if negative.
symgrad.fft.n | int | How many entries are transformed: zeros are added, or what is more is cut off.
symgrad.fft.s | tuple of ints | The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
symgrad.fft.dim | int or tuple of ints | The dimension to work along, or several; from the end if negative.
symgrad.fft.norm | {'backward', 'ortho', 'forward'} | What is divided by n: the inverse, both by the root of n, or what is no inverse.
symgrad.fft.d | float | The distance between neighbours.
validate_args | bool | Whether parameters and values are looked at; by default they are.
probs, logits | tensor or number | Probabilities, or the logarithms of their odds (of classes: of weights). One of them.
symgrad.distributions.loc | tensor or number | Where it lies.
symgrad.distributions.scale | tensor or number | How wide it is: a factor, positive.
rate | tensor or number | How fast it falls, positive; of Poisson's its mean.
df | tensor or number | Degrees of freedom, positive.
symgrad.distributions.low, symgrad.distributions.high | tensor or number | Its ends.
concentration, concentration0, concentration1 | tensor or number | The exponents of the density, and 1: positive.
total_count | tensor or number | How many trials.
base_transform, base_constraint | object | What it is made of.
reinterpreted_batch_ndims | int | How many of the last dimensions are taken for one event.
cache_size | int | 1 keeps the last point and its image; 0 does not.
event_dim | int | How many of the last dimensions are taken at once.
symgrad.distributions.parts | list of transforms | The transforms, the first one first.
is_discrete | bool | Whether it is one of counts.
symgrad.distributions.constraints.fn | callable | The property.
lower_bound, upper_bound | tensor or number | The bounds.
constraint | Constraint | The one in question.
type_p, type_q | class | Classes of distributions.
symgrad.extend.name | str | What the row, and its function, are called.
symgrad.extend.forward | callable | The function on arrays; its first parameters are the operands.
symgrad.extend.partials | callables or numbers | A partial derivative for each operand.
symgrad.extend.rules | callables | A rule for each operand.
symgrad.extend.transpose | callable | The rule: the transpose on the gradient.
symgrad.extend.inputs | int | The number of operands.
"""


def entries() -> dict[str, tuple[str, str]]:
    """Return type and meaning by name.

    >>> entries()["keepdim"]
    ('bool', 'Whether a reduced dimension stays, with size 1.')
    """
    lines = [[part.strip() for part in line.split("|")] for line in MEANINGS.strip().splitlines()]
    return {name: (kind, text) for names, kind, text in lines for name in names.split(", ")}
