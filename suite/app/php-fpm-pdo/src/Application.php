<?php

declare(strict_types=1);

/** Plain text, JSON and, where there is a database, rows of it. */
final class Application
{
    /** Of a request; further ones are not looked up. */
    private const MOST_IDS = 500;

    public function __construct(private readonly ?Database $database)
    {
    }

    public function answer(string $method, string $path): void
    {
        try {
            [$type, $body] = $this->found($method, $path);
        } catch (NotFound) {
            http_response_code(404);
            [$type, $body] = ['text/plain', 'not found'];
        } catch (InvalidArgumentException | JsonException) {
            http_response_code(400);
            [$type, $body] = ['text/plain', 'bad request'];
        }
        header("Content-Type: $type; charset=utf-8");
        header('Content-Length: ' . strlen($body));
        echo $body;
    }

    /**
     * @return array{string, string} Media type and body.
     * @throws NotFound|InvalidArgumentException|JsonException
     */
    private function found(string $method, string $path): array
    {
        [, $first, $name] = explode('/', $path, 3) + ['', '', ''];

        return match (true) {
            $first === 'plaintext' => ['text/plain', "Hello, $name!"],
            $first === 'json' => self::json(['message' => "Hello, $name!"]),
            $this->database === null => throw new NotFound(),
            $path === '/db' => self::json($this->database->worlds([self::number($_GET['id'] ?? '')])[0]),
            $path === '/queries' => self::json($this->database->worlds(self::numbers($_GET['ids'] ?? ''))),
            $path === '/cached' => self::json($this->database->cachedWorlds(self::numbers($_GET['ids'] ?? ''))),
            $path === '/updates' && $method === 'POST' => $this->updates(),
            $path === '/fortunes' => $this->fortunes($_GET['add'] ?? ''),
            default => throw new NotFound(),
        };
    }

    /** @return array{string, string} */
    private function updates(): array
    {
        $asked = json_decode(file_get_contents('php://input'), true, flags: JSON_THROW_ON_ERROR);
        $this->database->worlds(array_column($asked, 'id'));
        // Of a row that is given twice the last value stays.
        $this->database->write(array_column($asked, 'randomNumber', 'id'));

        return self::json($asked);
    }

    /** @return array{string, string} */
    private function fortunes(string $add): array
    {
        $fortunes = [...$this->database->fortunes(), ['id' => 0, 'message' => $add]];
        usort($fortunes, static fn (array $one, array $other): int => strcmp($one['message'], $other['message']));
        ob_start();
        require __DIR__ . '/../templates/fortunes.php';

        return ['text/html', ob_get_clean()];
    }

    /** @return array{string, string} */
    private static function json(array $value): array
    {
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;

        return ['application/json', json_encode($value, $flags)];
    }

    private static function number(string $text): int
    {
        $number = filter_var($text, FILTER_VALIDATE_INT);

        return $number === false ? throw new InvalidArgumentException($text) : $number;
    }

    /** @return list<int> */
    private static function numbers(string $text): array
    {
        return array_map(self::number(...), array_slice(explode(',', $text), 0, self::MOST_IDS));
    }
}
