"""The numbers data types have in files. Standard library only: readers of files need no engine."""

# The numbers stand in .params files and symbol JSON: never renumber. 8 to 11 belong to types MXNet 1.x never had.
FLAG_OF_NAME = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "uint8": 3,
    "int32": 4,
    "int8": 5,
    "int64": 6,
    "bool": 7,
    "bfloat16": 12,
}
NAME_OF_FLAG = {flag: name for name, flag in FLAG_OF_NAME.items()}
