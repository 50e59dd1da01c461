"""Packs folders of images into record files: `python -m mxnet.tools.im2rec`."""

import sys

from regluon.cli.im2rec import EXTENSIONS as EXTENSIONS
from regluon.cli.im2rec import SHUFFLE_SEED as SHUFFLE_SEED
from regluon.cli.im2rec import Entry as Entry
from regluon.cli.im2rec import list_image as list_image
from regluon.cli.im2rec import main as main
from regluon.cli.im2rec import make_all_records as make_all_records
from regluon.cli.im2rec import make_list as make_list
from regluon.cli.im2rec import make_records as make_records
from regluon.cli.im2rec import pack_image as pack_image
from regluon.cli.im2rec import parse_args as parse_args
from regluon.cli.im2rec import read_list as read_list
from regluon.cli.im2rec import write_list as write_list

if __name__ == "__main__":
    sys.exit(main())
