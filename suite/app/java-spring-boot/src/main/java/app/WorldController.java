package app;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@ConditionalOnProperty("DATABASE_URL")
class WorldController {
    /** Of a request; further ones are not looked up. */
    private static final int MOST_IDS = 500;

    private final WorldRepository worlds;

    WorldController(WorldRepository worlds) {
        this.worlds = worlds;
    }

    @GetMapping("/db")
    World world(@RequestParam int id) {
        return worlds.find(id).orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
    }

    @GetMapping("/queries")
    List<World> worlds(@RequestParam List<Integer> ids) {
        return ids.stream().limit(MOST_IDS).map(this::world).toList();
    }

    /** Of a row that is given twice the last value stays. */
    @PostMapping("/updates")
    List<World> updates(@RequestBody List<World> asked) {
        Map<Integer, Integer> values = new HashMap<>();
        for (World row : asked) {
            world(row.id());
            values.put(row.id(), row.randomNumber());
        }
        worlds.write(values);
        return asked;
    }
}
