"""``python -m symgrad`` is the command ``symgrad``."""

import sys

from .cli import main

sys.exit(main())
