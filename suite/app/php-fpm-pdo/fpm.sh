#!/bin/sh
# Becomes PHP-FPM, with these arguments. Debian has its version in the program's name.
version=$(php -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;') || exit
command -v php-fpm >/dev/null && exec php-fpm "$@"
exec "php-fpm$version" "$@"
