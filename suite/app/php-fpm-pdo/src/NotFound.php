<?php

declare(strict_types=1);

final class NotFound extends Exception
{
}
