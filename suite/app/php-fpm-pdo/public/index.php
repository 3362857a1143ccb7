<?php

declare(strict_types=1);

require __DIR__ . '/../src/Database.php';
require __DIR__ . '/../src/NotFound.php';
require __DIR__ . '/../src/Application.php';

$url = getenv('DATABASE_URL');
(new Application($url === false ? null : Database::open($url)))->answer(
    $_SERVER['REQUEST_METHOD'],
    rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)),
);
