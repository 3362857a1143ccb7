package app;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class GreetingController {
    record Greeting(String message) {}

    @GetMapping(path = "/plaintext/{name}", produces = MediaType.TEXT_PLAIN_VALUE)
    String plaintext(@PathVariable String name) {
        return "Hello, " + name + "!";
    }

    @GetMapping("/json/{name}")
    Greeting json(@PathVariable String name) {
        return new Greeting("Hello, " + name + "!");
    }
}
