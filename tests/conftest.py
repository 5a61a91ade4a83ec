"""For all tests: no test asserts a time, so hypothesis has no deadline; caches go to a folder of the test run."""

import os
import tempfile

from hypothesis import settings

settings.register_profile("fixbook", deadline=None)
settings.load_profile("fixbook")

os.environ.setdefault("XDG_CACHE_HOME", tempfile.mkdtemp(prefix="fixbook-tests-"))
