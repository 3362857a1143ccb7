package bench;

import java.nio.charset.StandardCharsets;

/** The digest of replies that workload.toml defines: FNV-1a over {@code $text}, {@code :number}, {@code _}. */
final class Digest {
    private long state = 0xcbf29ce484222325L;

    void add(Object reply) {
        if (reply == null) {
            bytes("_\n");
        } else if (reply instanceof Long number) {
            bytes(":" + number + "\n");
        } else if (reply instanceof String text) {
            bytes("$" + text + "\n");
        } else {
            throw new IllegalStateException("unexpected reply " + reply);
        }
    }

    private void bytes(String text) {
        for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
            state = (state ^ (octet & 0xff)) * 0x100000001b3L;
        }
    }

    /** Sixteen hexadecimal digits, as a JSON string. */
    String toJson() {
        return String.format("\"%016x\"", state);
    }
}
