"""Properties are judged by what they find, never by how long a loaded machine took."""

from hypothesis import settings

settings.register_profile("no-deadline", deadline=None, derandomize=True)
settings.load_profile("no-deadline")
