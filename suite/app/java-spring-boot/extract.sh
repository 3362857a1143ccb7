#!/bin/sh
# The jar unpacked, and an archive of the classes that a start loads, by a run that needs no database.
set -eu

java -Djarmode=tools -jar target/app.jar extract --force --destination target/app
java -XX:ArchiveClassesAtExit=target/app/app.jsa -Dspring.context.exit=onRefresh -jar target/app/app.jar
