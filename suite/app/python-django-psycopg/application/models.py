from django.db import models


class World(models.Model):
    random_number = models.IntegerField(db_column="randomnumber")

    class Meta:
        managed = False
        db_table = "world"


class Fortune(models.Model):
    message = models.TextField()

    class Meta:
        managed = False
        db_table = "fortune"
