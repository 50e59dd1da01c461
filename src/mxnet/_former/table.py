"""Which module of MXNet had which names, and where they live now. `lending.py` reads and applies it."""

# Modules that have another name here.
ALIASES = {
    "mxnet.gluon.contrib.data.text": "mxnet.contrib.text._wiki_text",
    "mxnet.ndarray.gen__internal": "mxnet.ndarray._internal",
    "mxnet.ndarray.gen_contrib": "mxnet.ndarray.contrib",
    "mxnet.ndarray.gen_image": "mxnet.ndarray.image",
    "mxnet.ndarray.gen_linalg": "mxnet.ndarray.linalg",
    "mxnet.ndarray.gen_op": "mxnet.ndarray.op",
    "mxnet.ndarray.gen_random": "mxnet.ndarray.random",
    "mxnet.ndarray.gen_sparse": "mxnet.ndarray.sparse",
    "mxnet.symbol.gen__internal": "mxnet.symbol._internal",
    "mxnet.symbol.gen_contrib": "mxnet.symbol.contrib",
    "mxnet.symbol.gen_image": "mxnet.symbol.image",
    "mxnet.symbol.gen_linalg": "mxnet.symbol.linalg",
    "mxnet.symbol.gen_op": "mxnet.symbol.op",
    "mxnet.symbol.gen_random": "mxnet.symbol.random",
    "mxnet.symbol.gen_sparse": "mxnet.symbol.sparse",
}

# Submodules that a star import of a package brings, as in MXNet; others stay hidden from it.
SUBMODULES = {
    "mxnet": (
        "attribute autograd base callback context contrib engine error executor executor_manager gluon image img "
        "init initializer io kv kvstore libinfo library log lr_scheduler metric mod model module mon monitor name nd "
        "ndarray ndarray_doc np np_symbol npx numpy numpy_extension operator optimizer random recordio registry rnd "
        "rnn rtc runtime sym symbol symbol_doc test_utils util visualization viz"
    ),
    "mxnet.contrib": "autograd io nd ndarray onnx sym symbol tensorboard text",
    "mxnet.contrib.amp": "amp lists loss_scaler",
    "mxnet.contrib.onnx": "onnx2mx",
    "mxnet.contrib.onnx.onnx2mx": "import_model import_onnx import_to_gluon",
    "mxnet.contrib.svrg_optimization": "svrg_module svrg_optimizer",
    "mxnet.contrib.text": "embedding utils vocab",
    "mxnet.gluon": "block contrib data loss model_zoo nn parameter rnn trainer utils",
    "mxnet.gluon.contrib": "cnn data nn rnn",
    "mxnet.gluon.contrib.data": "sampler text",
    "mxnet.gluon.data": "dataloader dataset sampler vision",
    "mxnet.gluon.data.vision": "datasets transforms",
    "mxnet.gluon.model_zoo": "model_store vision",
    "mxnet.gluon.model_zoo.vision": "densenet inception mobilenet resnet squeezenet vgg",
    "mxnet.gluon.nn": "activations basic_layers conv_layers",
    "mxnet.gluon.rnn": "rnn_cell rnn_layer",
    "mxnet.image": "det detection image",
    "mxnet.io": "io utils",
    "mxnet.kvstore": "base kvstore",
    "mxnet.module": "base_module bucketing_module executor_group module python_module sequential_module",
    "mxnet.ndarray": "contrib image linalg numpy numpy_extension random sparse",
    "mxnet.optimizer": "contrib",
    "mxnet.rnn": "io rnn rnn_cell",
    "mxnet.symbol": "contrib image linalg numpy numpy_extension random sparse",
}

# module: what it had, written as `lending.py` reads it.
NAMES = {
    "mxnet.attribute": "*warnings; collections: defaultdict; C: with_metaclass; mxnet.base: string_types",
    "mxnet.autograd": (
        "*ctypes traceback; array: array; ctypes: CFUNCTYPE POINTER c_int c_void_p cast; threading: Lock; C: "
        "MXCallbackList NDArrayHandle SymbolHandle c_array c_array_buf c_handle_array mx_uint; mxnet.base: _LIB "
        "check_call string_types; mxnet.symbol.symbol: Symbol; values: _GRAD_REQ_MAP"
    ),
    "mxnet.base": (
        "_np=numpy atexit inspect libinfo=mxnet.libinfo re sys; C: CachedOpHandle CudaKernelHandle "
        "CudaModuleHandle DLPackHandle DataIterCreatorHandle DataIterHandle ExecutorHandle FunctionHandle "
        "KVStoreHandle MXCallbackList NDArrayHandle OpHandle ProfileHandle RecordIOHandle RtcHandle SymbolHandle "
        "c_array c_array_buf c_handle_array c_str_array ctypes2buffer ctypes2numpy_shared mx_float mx_float_p "
        "mx_int mx_int64 mx_uint with_metaclass; values: _NP_EXT_OP_PREFIX _NP_EXT_OP_SUBMODULE_LIST "
        "_NP_INTERNAL_OP_PREFIX _NP_OP_PREFIX _NP_OP_SUBMODULE_LIST _NP_OUTPUT_IS_LIST_OPERATORS "
        "_OP_NAME_PREFIX_LIST basestring long; mxnet.libinfo: __version__"
    ),
    "mxnet.callback": "*logging math time",
    "mxnet.context": "*ctypes warnings; C: with_metaclass; mxnet.base: _LIB check_call",
    "mxnet.contrib.amp.amp": (
        "base=mxnet.base contextlib ctypes lists=mxnet.contrib.amp.lists logging ndarray=mxnet.ndarray np=numpy "
        "opt=mxnet.optimizer symbol=mxnet.symbol symbol_contrib=mxnet.symbol.contrib trainer=mxnet.gluon.trainer; "
        "array: array; C: SymbolHandle c_array_buf c_str_array mx_uint; mxnet.base: _LIB check_call; "
        "mxnet.context: gpu; mxnet.module.bucketing_module: BucketingModule; mxnet.ndarray.ndarray: NDArray; "
        "mxnet.symbol.symbol: Symbol; values: _DTYPE_MX_TO_NP _DTYPE_NP_TO_MX bfloat16"
    ),
    "mxnet.contrib.amp.loss_scaler": "*ag=mxnet.autograd nd=mxnet.ndarray.ndarray",
    "mxnet.contrib.autograd": (
        "ctypes functools; array: array; C: NDArrayHandle c_array c_array_buf c_handle_array mx_uint; mxnet.base: _LIB "
        "check_call string_types; mxnet.ndarray.ndarray: NDArray; values: _GRAD_REQ_MAP"
    ),
    "mxnet.contrib.io": "nd=mxnet.ndarray; mxnet.io: DataDesc DataIter",
    "mxnet.contrib.svrg_optimization.svrg_module": "*mx=mxnet time",
    "mxnet.contrib.svrg_optimization.svrg_optimizer": "*mx=mxnet",
    "mxnet.contrib.tensorboard": "*logging",
    "mxnet.contrib.text.embedding": (
        "*_mx_np=mxnet.numpy _mx_npx=mxnet.numpy_extension base=mxnet.base logging nd=mxnet.ndarray os "
        "registry=mxnet.registry tarfile vocab=mxnet.contrib.text.vocab warnings zipfile"
    ),
    "mxnet.contrib.text.utils": "*collections re",
    "mxnet.contrib.text.vocab": "*collections",
    "mxnet.engine": "*ctypes; mxnet.base: _LIB check_call",
    "mxnet.executor": (
        "*copy ctypes ndarray=mxnet.ndarray np=numpy; C: ExecutorHandle NDArrayHandle SymbolHandle c_array_buf "
        "c_handle_array c_str_array mx_int mx_uint py_array; mxnet.base: _LIB check_call py_str; "
        "mxnet.executor_manager: _check_arguments _load_data _load_label _split_input_slice"
    ),
    "mxnet.executor_manager": (
        "*logging nd=mxnet.ndarray np=numpy; mxnet.base: mx_real_t; mxnet.context: cpu; mxnet.io.io: DataDesc"
    ),
    "mxnet.gluon.block": (
        "_mx_np=mxnet.numpy _mx_npx=mxnet.numpy_extension _name=mxnet.name copy initializer=mxnet.initializer "
        "json ndarray=mxnet.ndarray np=numpy np_symbol=mxnet.symbol.numpy._symbol re symbol=mxnet.symbol "
        "threading warnings; collections: OrderedDict defaultdict; mxnet.base: mx_real_t"
    ),
    "mxnet.gluon.contrib.cnn.conv_layers": "symbol=mxnet.symbol; mxnet.base: numeric_types",
    "mxnet.gluon.contrib.data": "*mxnet.contrib.text._wiki_text: WikiText2 WikiText103",
    "mxnet.gluon.contrib.data.sampler": "sampler=mxnet.gluon.data.sampler",
    "mxnet.gluon.contrib.data.text": (
        "base=mxnet.base dataset=mxnet.gluon.data.dataset nd=mxnet.ndarray np=numpy os shutil text=mxnet.contrib.text "
        "zipfile; mxnet.gluon.utils: _get_repo_file_url check_sha1 download"
    ),
    "mxnet.gluon.contrib.nn.basic_layers": "context=mxnet.context nd=mxnet.ndarray",
    "mxnet.gluon.contrib.rnn.conv_rnn_cell": "math: floor; mxnet.base: numeric_types",
    "mxnet.gluon.contrib.rnn.rnn_cell": (
        "mxnet.base: _as_list; mxnet.gluon.rnn.rnn_cell: BidirectionalCell HybridRecurrentCell ModifierCell "
        "SequentialRNNCell; values: tensor_types"
    ),
    "mxnet.gluon.data.dataloader": (
        "_mx_np=mxnet.numpy _sampler=mxnet.gluon.data.sampler context=mxnet.context io multiprocessing "
        "nd=mxnet.ndarray np=numpy pickle signal sys threading; mxnet.util: is_np_array is_np_shape set_np"
    ),
    "mxnet.gluon.data.dataset": "ndarray=mxnet.ndarray recordio=mxnet.recordio",
    "mxnet.gluon.data.sampler": "np=numpy",
    "mxnet.gluon.data.vision.datasets": (
        "_mx_np=mxnet.numpy base=mxnet.base dataset=mxnet.gluon.data.dataset gzip image=mxnet.image "
        "nd=mxnet.ndarray np=numpy os recordio=mxnet.recordio struct tarfile warnings; mxnet.gluon.utils: "
        "_get_repo_file_url check_sha1 download; mxnet.util: is_np_array"
    ),
    "mxnet.gluon.data.vision.transforms": "*image=mxnet.image np=numpy random; mxnet.base: numeric_types",
    "mxnet.gluon.loss": "ndarray=mxnet.ndarray np=numpy; mxnet.base: numeric_types",
    "mxnet.gluon.model_zoo.model_store": "base=mxnet.base shutil uuid; mxnet.gluon.utils: check_sha1 replace_file",
    "mxnet.gluon.model_zoo.vision.alexnet": (
        "base=mxnet.base nn=mxnet.gluon.nn os; mxnet.context: cpu; mxnet.gluon.block: HybridBlock"
    ),
    "mxnet.gluon.model_zoo.vision.densenet": "base=mxnet.base nn=mxnet.gluon.nn os; mxnet.context: cpu",
    "mxnet.gluon.model_zoo.vision.inception": (
        "base=mxnet.base nn=mxnet.gluon.nn os; mxnet.context: cpu; mxnet.gluon.contrib.nn.basic_layers: "
        "HybridConcurrent"
    ),
    "mxnet.gluon.model_zoo.vision.mobilenet": "base=mxnet.base nn=mxnet.gluon.nn os; mxnet.context: cpu",
    "mxnet.gluon.model_zoo.vision.resnet": (
        "base=mxnet.base nn=mxnet.gluon.nn os; mxnet.context: cpu; mxnet.util: is_np_array"
    ),
    "mxnet.gluon.model_zoo.vision.squeezenet": (
        "base=mxnet.base nn=mxnet.gluon.nn os; mxnet.context: cpu; mxnet.gluon.contrib.nn.basic_layers: "
        "HybridConcurrent"
    ),
    "mxnet.gluon.model_zoo.vision.vgg": "base=mxnet.base nn=mxnet.gluon.nn os; mxnet.context: cpu",
    "mxnet.gluon.nn.activations": "initializer=mxnet.initializer; mxnet.util: is_np_array",
    "mxnet.gluon.nn.basic_layers": "np=numpy sym=mxnet.symbol warnings; mxnet.util: is_np_array",
    "mxnet.gluon.nn.conv_layers": (
        "symbol=mxnet.symbol; mxnet.base: numeric_types; mxnet.gluon.block: HybridBlock; "
        "mxnet.gluon.nn.activations: Activation; mxnet.util: is_np_array"
    ),
    "mxnet.gluon.parameter": (
        "_mx_np=mxnet.numpy autograd=mxnet.autograd context=mxnet.context initializer=mxnet.initializer "
        "ndarray=mxnet.ndarray np=numpy symbol=mxnet.symbol warnings; collections: OrderedDict defaultdict; "
        "mxnet.base: mx_real_t"
    ),
    "mxnet.gluon.rnn.rnn_cell": (
        "ndarray=mxnet.ndarray symbol=mxnet.symbol; mxnet.base: _as_list numeric_types string_types; "
        "mxnet.gluon.block: Block HybridBlock; mxnet.gluon.nn.activations: LeakyReLU; values: tensor_types"
    ),
    "mxnet.gluon.rnn.rnn_layer": (
        "ndarray=mxnet.ndarray rnn_cell=mxnet.gluon.rnn.rnn_cell; mxnet.util: is_np_array; values: tensor_types"
    ),
    "mxnet.gluon.trainer": "opt=mxnet.optimizer; mxnet.model: _create_kvstore _create_sparse_kvstore",
    "mxnet.gluon.utils": "_mx_np=mxnet.numpy collections requests sys uuid",
    "mxnet.image": (
        "*cv2 io=mxnet.io json logging nd=mxnet.ndarray np=numpy os random recordio=mxnet.recordio sys warnings; "
        "numbers: Number; mxnet.base: numeric_types"
    ),
    "mxnet.image.detection": (
        "*_mx_np=mxnet.numpy io=mxnet.io json logging nd=mxnet.ndarray np=numpy random warnings; mxnet.base: "
        "numeric_types; mxnet.image.image: Augmenter CastAug ColorJitterAug ColorNormalizeAug ForceResizeAug "
        "HueJitterAug ImageIter LightingAug RandomGrayAug RandomOrderAug ResizeAug fixed_crop; "
        "mxnet.ndarray._internal: copyMakeBorder=_cvcopyMakeBorder; mxnet.util: is_np_array"
    ),
    "mxnet.image.image": (
        "*_internal=mxnet.ndarray._internal _mx_np=mxnet.numpy _npi=mxnet.ndarray.numpy._internal cv2 io=mxnet.io "
        "json logging nd=mxnet.ndarray np=numpy os random recordio=mxnet.recordio sys warnings; numbers: Number; "
        "mxnet.base: numeric_types"
    ),
    "mxnet.initializer": (
        "*_mx_np=mxnet.numpy json logging ndarray=mxnet.ndarray np=numpy random=mxnet.random re "
        "registry=mxnet.registry warnings; math: sqrt; mxnet.base: string_types"
    ),
    "mxnet.io.io": (
        "*ctypes logging np=numpy sys threading; collections: namedtuple; C: DataIterHandle NDArrayHandle "
        "c_str_array mx_uint; mxnet.base: _LIB check_call mx_real_t py_str; mxnet.io.utils: _getdata_by_idx "
        "_has_instance _init_data; mxnet.ndarray: concat tile; mxnet.ndarray.ndarray: NDArray; "
        "mxnet.ndarray.sparse: CSRNDArray; mxnet.ndarray.utils: array"
    ),
    "mxnet.io.utils": (
        "*h5py np=numpy; collections: OrderedDict; mxnet.ndarray.ndarray: NDArray; mxnet.ndarray.sparse: "
        "CSRNDArray sparse_array=array; mxnet.ndarray.utils: array"
    ),
    "mxnet.kvstore.base": (
        "ctypes; array: array; C: KVStoreHandle c_array c_array_buf c_handle_array c_str_array; mxnet.base: _LIB "
        "c_str check_call string_types; mxnet.ndarray.ndarray: NDArray"
    ),
    "mxnet.kvstore.kvstore": (
        "ctypes opt=mxnet.optimizer os pickle; C: KVStoreHandle NDArrayHandle mx_uint; mxnet.base: _LIB c_str "
        "check_call py_str; mxnet.kvstore.base: KVStoreBase; mxnet.ndarray.ndarray: NDArray"
    ),
    "mxnet.libinfo": "*logging os platform",
    "mxnet.library": (
        "ctypes os sys; C: mx_uint; mxnet.base: _LIB MXNetError check_call; mxnet.ndarray.register: "
        "_make_ndarray_function=make_function; mxnet.symbol.register: _make_symbol_function=make_function"
    ),
    "mxnet.log": "*logging warnings",
    "mxnet.lr_scheduler": "*logging; math: cos",
    "mxnet.metric": (
        "*math numpy registry=mxnet.registry; collections: OrderedDict; mxnet.base: numeric_types string_types"
    ),
    "mxnet.model": (
        "*io=mxnet.io kvs=mxnet.kvstore logging metric=mxnet.metric nd=mxnet.ndarray np=numpy opt=mxnet.optimizer "
        "os sym=mxnet.symbol time warnings; collections: namedtuple; mxnet.base: mx_real_t"
    ),
    "mxnet.module.base_module": (
        "*logging metric=mxnet.metric ndarray=mxnet.ndarray np=numpy time warnings; mxnet.context: cpu; "
        "mxnet.initializer: Uniform; mxnet.io.io: DataBatch DataDesc DataIter"
    ),
    "mxnet.module.bucketing_module": (
        "*ctx=mxnet.context logging nd=mxnet.ndarray np=numpy sym=mxnet.symbol warnings; mxnet.initializer: "
        "Uniform; mxnet.model: load_params; mxnet.module.base_module: BaseModule; mxnet.module.module: Module; "
        "mxnet.name: NameManager"
    ),
    "mxnet.module.executor_group": (
        "*ctx=mxnet.context logging nd=mxnet.ndarray; collections: OrderedDict; mxnet.io.io: DataDesc; values: "
        "_DTYPE_MX_TO_NP"
    ),
    "mxnet.module.module": (
        "*ctx=mxnet.context logging nd=mxnet.ndarray opt=mxnet.optimizer warnings; mxnet.initializer: InitDesc "
        "Uniform; mxnet.io.io: DataDesc; mxnet.model: _create_kvstore _initialize_kvstore _update_params "
        "_update_params_on_kvstore load_checkpoint; mxnet.module.base_module: BaseModule; "
        "mxnet.module.executor_group: DataParallelExecutorGroup; mxnet.ndarray.utils: zeros"
    ),
    "mxnet.module.python_module": (
        "*logging nd=mxnet.ndarray; mxnet.initializer: Uniform; mxnet.module.base_module: BaseModule"
    ),
    "mxnet.module.sequential_module": "*copy logging; mxnet.initializer: Uniform; mxnet.module.base_module: BaseModule",
    "mxnet.monitor": "*ctypes logging ndarray=mxnet.ndarray re; math: sqrt; C: NDArrayHandle; mxnet.base: py_str",
    "mxnet.name": "*warnings; C: with_metaclass",
    "mxnet.ndarray": "values: _DTYPE_MX_TO_NP _DTYPE_NP_TO_MX _GRAD_REQ_MAP",
    "mxnet.ndarray._internal": "_os=os _sys=sys; mxnet.base: _Null",
    "mxnet.ndarray.contrib": "mx=mxnet ndarray=mxnet.ndarray.ndarray np=numpy; mxnet.base: _as_list",
    "mxnet.ndarray.ndarray": (
        "_internal=mxnet.ndarray._internal ctypes np=numpy op=mxnet.ndarray.op operator warnings; functools: "
        "reduce; C: DLPackHandle NDArrayHandle c_array c_array_buf c_handle_array ctypes2buffer mx_int mx_int64 "
        "mx_uint native_array; mxnet.base: _LIB c_str check_call integer_types mx_real_t numeric_types; "
        "mxnet.context: Context current_context; mxnet.ndarray: imdecode; mxnet.runtime: Features; mxnet.util: "
        "is_np_array; values: _DTYPE_MX_TO_NP _DTYPE_NP_TO_MX _GRAD_REQ_MAP _INT64_TENSOR_SIZE_ENABLED "
        "_NDARRAY_ADVANCED_INDEXING _NDARRAY_BASIC_INDEXING _NDARRAY_EMPTY_TUPLE_INDEXING "
        "_NDARRAY_NO_ZERO_DIM_BOOL_ARRAY _NDARRAY_UNSUPPORTED_INDEXING _NDARRAY_ZERO_DIM_BOOL_ARRAY_FALSE "
        "_NDARRAY_ZERO_DIM_BOOL_ARRAY_TRUE _SIGNED_INT32_UPPER_LIMIT _STORAGE_TYPE_CSR _STORAGE_TYPE_DEFAULT "
        "_STORAGE_TYPE_ID_TO_STR _STORAGE_TYPE_ROW_SPARSE _STORAGE_TYPE_STR_TO_ID _STORAGE_TYPE_UNDEFINED "
        "py_slice"
    ),
    "mxnet.ndarray.numpy._op": (
        "_np=numpy _npi=mxnet.ndarray.numpy._internal; mxnet.base: integer_types numeric_types; mxnet.context: "
        "current_context; mxnet.ndarray.ndarray: NDArray; mxnet.ndarray.numpy: abs absolute add append arange "
        "arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort around array_split average "
        "bincount bitwise_and bitwise_not bitwise_or bitwise_xor blackman broadcast_to cbrt ceil clip "
        "column_stack concatenate copysign cos cosh deg2rad degrees delete diag_indices_from diff divide dsplit "
        "dstack ediff1d einsum empty_like equal exp expand_dims expm1 eye fabs fix flip fliplr flipud floor full "
        "full_like greater greater_equal hamming hanning histogram hsplit hstack hypot identity indices inner "
        "insert invert isfinite isinf isnan isneginf isposinf lcm ldexp less less_equal linspace log log10 log1p "
        "log2 logical_not logspace matmul maximum may_share_memory mean minimum mod multiply nan_to_num negative "
        "nonzero not_equal ones ones_like outer pad percentile polyval power quantile rad2deg radians ravel "
        "reciprocal remainder resize rint rot90 round round_ row_stack shape shares_memory sign sin sinh sort "
        "split sqrt square stack std subtract swapaxes take tan tanh tensordot tile tril true_divide trunc unique "
        "unravel_index var vdot vsplit vstack where zeros zeros_like; mxnet.util: set_module wrap_np_binary_func "
        "wrap_np_unary_func"
    ),
    "mxnet.ndarray.numpy.linalg": "_mx_nd_np=mxnet.ndarray.numpy._op _npi=mxnet.ndarray.numpy._internal",
    "mxnet.ndarray.numpy.random": (
        "_npi=mxnet.ndarray.numpy._internal np=numpy; mxnet.context: current_context; mxnet.ndarray.ndarray: NDArray"
    ),
    "mxnet.ndarray.numpy_extension.random": "_npi=mxnet.ndarray.numpy._internal; mxnet.context: current_context",
    "mxnet.ndarray.random": "_internal=mxnet.ndarray._internal",
    "mxnet.ndarray.register": (
        "*_np=numpy _os=os ctypes; C: mx_uint; mxnet.base: _LIB check_call py_str; mxnet.ndarray._internal: "
        "_adamw_update _mp_adamw_update; mxnet.ndarray.contrib: adamw_update mp_adamw_update; mxnet.util: "
        "use_np_shape"
    ),
    "mxnet.ndarray.sparse": (
        "_internal=mxnet.ndarray._internal ctypes np=numpy operator spsp=scipy.sparse warnings; C: NDArrayHandle "
        "c_array_buf native_array; mxnet.base: NotSupportedForSparseNDArray _LIB check_call integer_types "
        "mx_real_t numeric_types; mxnet.ndarray.ndarray: _array=array _zeros_ndarray=zeros; values: "
        "_DTYPE_MX_TO_NP _DTYPE_NP_TO_MX _STORAGE_AUX_TYPES _STORAGE_TYPE_CSR _STORAGE_TYPE_DEFAULT "
        "_STORAGE_TYPE_ROW_SPARSE _STORAGE_TYPE_STR_TO_ID _STORAGE_TYPE_UNDEFINED py_slice py_sum"
    ),
    "mxnet.ndarray.utils": (
        "ctypes spsp=scipy.sparse; C: NDArrayHandle c_array c_handle_array c_str_array mx_uint; mxnet.base: _LIB "
        "c_str check_call py_str string_types; mxnet.ndarray.ndarray: _array=array _empty_ndarray=empty "
        "_zeros_ndarray=zeros; mxnet.ndarray.sparse: _empty_sparse_ndarray=empty _sparse_array=array "
        "_zeros_sparse_ndarray=zeros"
    ),
    "mxnet.numpy": "values: _STR_2_DTYPE_",
    "mxnet.numpy.arrayprint": "mxnet.util: set_module",
    "mxnet.numpy.fallback": "onp=numpy; numpy: nanstd nansum nanvar",
    "mxnet.numpy.fallback_linalg": "onp=numpy",
    "mxnet.numpy.function_base": "mxnet.numpy.stride_tricks: broadcast_arrays",
    "mxnet.numpy.linalg": "_mx_nd_np=mxnet.ndarray.numpy",
    "mxnet.numpy.multiarray": (
        "_mx_nd_np=mxnet.ndarray.numpy _np=numpy _npi=mxnet.ndarray.numpy._internal ctypes "
        "fallback=mxnet.numpy.fallback warnings; C: NDArrayHandle c_array c_array_buf mx_uint native_array; "
        "mxnet.autograd: is_recording; mxnet.base: _LIB check_call integer_types mx_real_t numeric_types; "
        "mxnet.context: Context current_context; mxnet.ndarray.ndarray: NDArray from_numpy "
        "get_indexing_dispatch_code get_oshape_of_gather_nd_op indexing_key_expand_implicit_axes; mxnet.util: "
        "set_module wrap_np_binary_func wrap_np_unary_func; values: _DTYPE_NP_TO_MX _GRAD_REQ_MAP "
        "_NDARRAY_ADVANCED_INDEXING _NDARRAY_BASIC_INDEXING _NDARRAY_EMPTY_TUPLE_INDEXING "
        "_NDARRAY_NO_ZERO_DIM_BOOL_ARRAY _NDARRAY_UNSUPPORTED_INDEXING _NDARRAY_ZERO_DIM_BOOL_ARRAY_FALSE "
        "_NDARRAY_ZERO_DIM_BOOL_ARRAY_TRUE py_slice"
    ),
    "mxnet.numpy.random": "_mx_nd_np=mxnet.ndarray.numpy",
    "mxnet.numpy.stride_tricks": "_mx_nd_np=mxnet.ndarray.numpy",
    "mxnet.numpy.utils": "onp=numpy; values: _STR_2_DTYPE_",
    "mxnet.numpy_extension": "ctypes threading warnings; C: with_metaclass; mxnet.base: check_call",
    "mxnet.numpy_extension.image": (
        "cv2 det=mxnet.image.detection detection=mxnet.image.detection image=mxnet.image.image io=mxnet.io json "
        "logging nd=mxnet.ndarray np=numpy os random recordio=mxnet.recordio sys warnings; numbers: Number; "
        "mxnet.base: numeric_types; mxnet.image.detection: CreateDetAugmenter CreateMultiRandCropAugmenter "
        "DetAugmenter DetBorrowAug DetHorizontalFlipAug DetRandomCropAug DetRandomPadAug DetRandomSelectAug "
        "ImageDetIter; mxnet.image.image: Augmenter BrightnessJitterAug CastAug CenterCropAug ColorJitterAug "
        "ColorNormalizeAug ContrastJitterAug CreateAugmenter ForceResizeAug HorizontalFlipAug HueJitterAug "
        "ImageIter LightingAug RandomCropAug RandomGrayAug RandomOrderAug RandomSizedCropAug ResizeAug "
        "SaturationJitterAug SequentialAug center_crop color_normalize fixed_crop imdecode imread imresize "
        "imrotate random_crop random_rotate random_size_crop resize_short scale_down; mxnet.ndarray._internal: "
        "copyMakeBorder=_cvcopyMakeBorder; mxnet.util: is_np_array"
    ),
    "mxnet.numpy_extension.random": "_mx_nd_npx=mxnet.ndarray.numpy_extension _mx_rand=mxnet.random",
    "mxnet.numpy_extension.utils": (
        "ctypes; C: NDArrayHandle c_handle_array c_str_array mx_uint; mxnet.base: _LIB c_str check_call py_str "
        "string_types"
    ),
    "mxnet.operator": (
        "*collections context=mxnet.context ctypes symbol=mxnet.symbol traceback warnings; array: array; ctypes: "
        "CFUNCTYPE POINTER Structure c_bool c_char c_char_p c_int c_void_p cast pointer; threading: Lock; C: "
        "MXCallbackList NDArrayHandle OpHandle c_array c_array_buf c_int_p ctypes2numpy_shared mx_float mx_int "
        "mx_uint; mxnet.base: _LIB c_str check_call py_str; values: _DTYPE_MX_TO_NP _DTYPE_NP_TO_MX "
        "_STORAGE_TYPE_CSR _STORAGE_TYPE_DEFAULT _STORAGE_TYPE_ID_TO_STR _STORAGE_TYPE_ROW_SPARSE "
        "_STORAGE_TYPE_STR_TO_ID _STORAGE_TYPE_UNDEFINED"
    ),
    "mxnet.optimizer.contrib": (
        "contrib=mxnet.ndarray.contrib; mxnet.ndarray: clip mean sqrt square; mxnet.optimizer.optimizer: Optimizer"
    ),
    "mxnet.optimizer.optimizer": (
        "logging math numpy os pickle sparse=mxnet.ndarray.sparse warnings; mxnet.base: py_str; mxnet.ndarray: "
        "NDnorm=norm adam_update cast clip ftml_update ftrl_update lamb_update_phase1 lamb_update_phase2 "
        "mp_lamb_update_phase1 mp_lamb_update_phase2 mp_nag_mom_update mp_sgd_mom_update mp_sgd_update multi_lars "
        "multi_mp_sgd_mom_update multi_mp_sgd_update multi_sgd_mom_update multi_sgd_update multi_sum_sq "
        "nag_mom_update preloaded_multi_mp_sgd_mom_update preloaded_multi_mp_sgd_update "
        "preloaded_multi_sgd_mom_update preloaded_multi_sgd_update rmsprop_update rmspropalex_update "
        "sgd_mom_update sgd_update signsgd_update signum_update sqrt square; mxnet.ndarray.contrib: "
        "multi_lamb_update multi_mp_lamb_update; mxnet.ndarray.ndarray: NDArray maximum multiply; "
        "mxnet.ndarray.random: normal; mxnet.ndarray.utils: array zeros; mxnet.util: is_np_array"
    ),
    "mxnet.random": "*ctypes; mxnet.base: _LIB check_call integer_types; mxnet.context: Context",
    "mxnet.recordio": (
        "*ctypes cv2 np=numpy numbers struct; collections: namedtuple; multiprocessing.process: current_process; "
        "C: RecordIOHandle; mxnet.base: _LIB c_str check_call; values: _IR_FORMAT _IR_SIZE"
    ),
    "mxnet.registry": "*json warnings; mxnet.base: string_types",
    "mxnet.rnn": (
        "*bisect functools init=mxnet.initializer ndarray=mxnet.ndarray np=numpy random symbol=mxnet.symbol "
        "warnings; mxnet.base: numeric_types string_types"
    ),
    "mxnet.rnn.io": "*bisect ndarray=mxnet.ndarray np=numpy random",
    "mxnet.rnn.rnn": "*warnings; mxnet.rnn.rnn_cell: BaseRNNCell",
    "mxnet.rnn.rnn_cell": (
        "*functools init=mxnet.initializer ndarray=mxnet.ndarray symbol=mxnet.symbol warnings; mxnet.base: "
        "numeric_types string_types"
    ),
    "mxnet.rtc": (
        "*ctypes np=numpy re; array: array; C: CudaKernelHandle CudaModuleHandle c_array c_array_buf c_str_array "
        "mx_uint; mxnet.base: _LIB c_str check_call numeric_types string_types; mxnet.ndarray.ndarray: NDArray; "
        "values: _DTYPE_CPP_TO_NP _DTYPE_MX_TO_NP _DTYPE_NP_TO_MX"
    ),
    "mxnet.runtime": "*collections ctypes; mxnet.base: _LIB check_call",
    "mxnet.symbol._internal": "_os=os _sys=sys; mxnet.attribute: AttrScope; mxnet.base: _Null; mxnet.name: NameManager",
    "mxnet.symbol.contrib": (
        "copy ctypes symbol=mxnet.symbol.symbol; C: SymbolHandle; mxnet.base: _LIB _as_list check_call"
    ),
    "mxnet.symbol.numpy._symbol": (
        "_mx_np_op=mxnet.symbol.numpy._op _np=numpy _npi=mxnet.symbol.numpy._internal ctypes; C: SymbolHandle "
        "mx_uint; mxnet.base: _LIB c_str check_call numeric_types py_str string_types; mxnet.context: "
        "current_context; mxnet.symbol.numpy: abs absolute add append arange arccos arccosh arcsin arcsinh arctan "
        "arctan2 arctanh argmax argmin argsort around array_split average bincount bitwise_and bitwise_not "
        "bitwise_or bitwise_xor blackman broadcast_to cbrt ceil clip column_stack concatenate copysign cos cosh "
        "deg2rad degrees delete diag_indices_from diff divide dsplit dstack ediff1d einsum empty_like equal exp "
        "expand_dims expm1 eye fabs fix flip fliplr flipud floor full full_like greater greater_equal hamming "
        "hanning histogram hsplit hstack hypot identity indices inner insert invert isfinite isinf isnan isneginf "
        "isposinf lcm ldexp less less_equal linspace log log10 log1p log2 logical_not logspace matmul maximum "
        "mean minimum mod multiply nan_to_num negative not_equal ones ones_like outer pad percentile polyval "
        "power quantile rad2deg radians ravel reciprocal remainder resize rint rot90 round round_ row_stack sign "
        "sin sinh sort split sqrt square stack std subtract swapaxes take tan tanh tensordot tile tril "
        "true_divide trunc unique unravel_index var vdot vsplit vstack where zeros zeros_like; "
        "mxnet.symbol.symbol: Group; mxnet.util: set_module wrap_np_binary_func wrap_np_unary_func; values: "
        "py_slice"
    ),
    "mxnet.symbol.numpy.linalg": (
        "_mx_sym_np=mxnet.symbol.numpy._op _npi=mxnet.symbol.numpy._internal _symbol=mxnet.symbol.numpy._symbol"
    ),
    "mxnet.symbol.numpy.random": (
        "_npi=mxnet.symbol.numpy._internal; mxnet.context: current_context; mxnet.symbol: shuffle"
    ),
    "mxnet.symbol.numpy_extension.random": "_npi=mxnet.symbol.numpy._internal; mxnet.context: current_context",
    "mxnet.symbol.random": "_internal=mxnet.symbol._internal",
    "mxnet.symbol.register": (
        "*_internal=mxnet.symbol._internal _np=numpy _os=os ctypes; C: mx_uint; mxnet.attribute: AttrScope; "
        "mxnet.base: _LIB _Null check_call py_str; mxnet.name: NameManager; mxnet.symbol._internal: _adamw_update "
        "_mp_adamw_update; mxnet.symbol.contrib: adamw_update mp_adamw_update"
    ),
    "mxnet.symbol.symbol": (
        "_internal=mxnet.symbol._internal _numpy=numpy ctypes op=mxnet.symbol.op warnings; array: array; numbers: "
        "Number; C: ExecutorHandle NDArrayHandle SymbolHandle c_array c_array_buf c_handle_array c_str_array "
        "mx_int mx_int64 mx_uint; mxnet.attribute: AttrScope; mxnet.base: _LIB c_str check_call integer_types "
        "numeric_types py_str string_types; mxnet.executor: Executor; mxnet.ndarray.ndarray: NDArray; "
        "mxnet.symbol: arange eye full histogram hypot linspace maximum minimum ones pow power split_v2 zeros; "
        "mxnet.util: is_np_shape; values: _DTYPE_MX_TO_NP _DTYPE_NP_TO_MX _GRAD_REQ_MAP _SIGNED_INT32_UPPER_LIMIT "
        "_STORAGE_TYPE_STR_TO_ID py_slice"
    ),
    "mxnet.test_utils": (
        "*bz2 errno gzip json logging mx=mxnet np=numpy npt=numpy.testing numbers os platform requests "
        "rnd=numpy.random ss=scipy.stats struct sys time traceback zipfile; collections: OrderedDict; contextlib: "
        "contextmanager; mxnet.util: get_cuda_compute_capability getenv setenv; values: _STORAGE_TYPE_STR_TO_ID "
        "_features"
    ),
    "mxnet.util": (
        "*ctypes functools inspect threading; mxnet.base: _LIB; values: _CUDA_SUCCESS _np_ufunc_default_kwargs"
    ),
    "mxnet.visualization": "*copy json re warnings; mxnet.symbol.symbol: Symbol",
}
