package app;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

@Controller
@ConditionalOnProperty("DATABASE_URL")
class FortuneController {
    record Fortune(int id, String message) {}

    private final JdbcClient client;

    FortuneController(JdbcClient client) {
        this.client = client;
    }

    @GetMapping("/fortunes")
    String fortunes(@RequestParam String add, Model model) {
        List<Fortune> fortunes =
                new ArrayList<>(
                        client.sql("SELECT id, message FROM fortune")
                                .query((row, number) -> new Fortune(row.getInt(1), row.getString(2)))
                                .list());
        fortunes.add(new Fortune(0, add));
        fortunes.sort(Comparator.comparing(Fortune::message));
        model.addAttribute("fortunes", fortunes);
        return "fortunes";
    }
}
