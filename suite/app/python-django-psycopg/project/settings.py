"""Settings of the project: as `startproject` writes them, without what needs users, sessions or forms."""

import dj_database_url

# Of each process: one for each of its threads, 16 of all four.
POOL_SIZE = 4

ALLOWED_HOSTS = ["*"]

INSTALLED_APPS = ["application"]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "project.urls"

TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]

WSGI_APPLICATION = "project.wsgi.application"

# What DATABASE_URL says; without it there is none.
DATABASES = {"default": dj_database_url.config()}
HAS_DATABASE = bool(DATABASES["default"])
if HAS_DATABASE:
    DATABASES["default"]["OPTIONS"] = {"pool": {"min_size": POOL_SIZE, "max_size": POOL_SIZE}}

USE_TZ = True
