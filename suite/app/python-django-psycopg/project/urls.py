from application import views
from django.conf import settings
from django.urls import path

urlpatterns = [
    path("plaintext/<str:name>", views.plaintext),
    path("json/<str:name>", views.json),
]

if settings.HAS_DATABASE:
    urlpatterns += [
        path("db", views.world),
        path("queries", views.worlds),
        path("updates", views.updates),
        path("fortunes", views.fortunes),
    ]
