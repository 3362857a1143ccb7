# A kind of reply that the workload does not have.
class Bench::UnexpectedReply < Exception
end

# The digest of replies that workload.toml defines: FNV-1a over `$text\n`, `:number\n`, `_\n`.
class Bench::Digest
  @hash = 0xcbf29ce484222325_u64

  def add(reply) : Nil
    case reply
    when Nil    then bytes("_\n")
    when Int64  then bytes(":#{reply}\n")
    when String then bytes("$#{reply}\n")
    else             raise UnexpectedReply.new("unexpected reply #{reply.inspect}")
    end
  end

  # Sixteen hexadecimal digits, as a JSON string.
  def to_json : String
    %("#{@hash.to_s(16).rjust(16, '0')}")
  end

  private def bytes(text : String) : Nil
    text.each_byte { |byte| @hash = (@hash ^ byte) &* 0x100000001b3_u64 }
  end
end
