package app;

import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@ConditionalOnProperty("DATABASE_URL")
class CachedWorldController {
    /** Of a request; further ones are not looked up. */
    private static final int MOST_IDS = 500;

    private final CachedWorlds worlds;

    CachedWorldController(CachedWorlds worlds) {
        this.worlds = worlds;
    }

    @GetMapping("/cached")
    List<World> worlds(@RequestParam List<Integer> ids) {
        return ids.stream().limit(MOST_IDS).map(this::world).toList();
    }

    private World world(int id) {
        return worlds.find(id).orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
    }
}
