module RedisClient
  # A reply as the type that a command promises; `ProtocolError` where it is something else.
  module Convert
    # :nodoc: names for types that cannot be written as an argument.
    alias Text = String?
    alias Integer = Int64?
    alias Number = Float64?
    alias Texts = Array(String)
    alias MaybeTexts = Array(String?)
    alias Integers = Array(Int64)
    alias Bools = Array(Bool)
    alias Fields = Hash(String, String)
    alias Scores = Array({String, Float64})
    alias Page = {String, Array(String)}
    alias Popped = {String, String}?

    def self.to(type : T.class, value : Value) : T forall T
      {% if T == Value %}
        value
      {% elsif T == String %}
        text(value)
      {% elsif T == Text %}
        value.nil? ? nil : text(value)
      {% elsif T == Int64 %}
        integer(value)
      {% elsif T == Integer %}
        value.nil? ? nil : integer(value)
      {% elsif T == Bool %}
        bool(value)
      {% elsif T == Float64 %}
        float(value)
      {% elsif T == Number %}
        value.nil? ? nil : float(value)
      {% elsif T == Nil %}
        nil
      {% elsif T == Texts %}
        array(value).map { |item| text(item) }
      {% elsif T == MaybeTexts %}
        array(value).map { |item| item.nil? ? nil : text(item) }
      {% elsif T == Integers %}
        array(value).map { |item| integer(item) }
      {% elsif T == Bools %}
        array(value).map { |item| bool(item) }
      {% elsif T == Fields %}
        fields(value)
      {% elsif T == Scores %}
        scores(value)
      {% elsif T == Page %}
        page(value)
      {% elsif T == Popped %}
        popped(value)
      {% else %}
        {% raise "no reply is converted to #{T}" %}
      {% end %}
    end

    private def self.text(value : Value) : String
      case value
      when String  then value
      when Int64   then value.to_s
      when Float64 then value.to_s
      else              unexpected(value, "a string")
      end
    end

    private def self.integer(value : Value) : Int64
      value.as?(Int64) || unexpected(value, "an integer")
    end

    private def self.bool(value : Value) : Bool
      case value
      when Bool  then value
      when Int64 then value != 0
      when Nil   then false
      when "OK"  then true
      else            unexpected(value, "a truth value")
      end
    end

    # RESP2 has no floating-point numbers: they come as strings.
    private def self.float(value : Value) : Float64
      case value
      when Float64 then value
      when Int64   then value.to_f
      when "inf"   then Float64::INFINITY
      when "-inf"  then -Float64::INFINITY
      when String  then value.to_f? || unexpected(value, "a number")
      else              unexpected(value, "a number")
      end
    end

    private def self.array(value : Value) : Array(Value)
      value.as?(Array(Value)) || unexpected(value, "an array")
    end

    # A map, or in RESP2 a list of keys and values in turn.
    private def self.fields(value : Value) : Fields
      fields = Fields.new
      case value
      when Hash
        value.each { |key, item| fields[text(key)] = text(item) }
      when Array
        unexpected(value, "keys and values in turn") if value.size.odd?
        value.each_slice(2, reuse: true) { |pair| fields[text(pair[0])] = text(pair[1]) }
      else
        unexpected(value, "a map")
      end
      fields
    end

    # Pairs, or in RESP2 a list of members and scores in turn.
    private def self.scores(value : Value) : Scores
      items = array(value)
      return items.map { |pair| score(array(pair)) } if items.first?.is_a?(Array)
      unexpected(value, "members and scores in turn") if items.size.odd?
      scores = Scores.new(items.size // 2)
      items.each_slice(2, reuse: true) { |pair| scores << score(pair) }
      scores
    end

    private def self.score(pair : Array(Value)) : {String, Float64}
      unexpected(pair, "a member and its score") unless pair.size == 2
      {text(pair[0]), float(pair[1])}
    end

    private def self.page(value : Value) : Page
      pair = array(value)
      unexpected(value, "a cursor and its items") unless pair.size == 2
      {text(pair[0]), to(Texts, pair[1])}
    end

    private def self.popped(value : Value) : Popped
      return nil if value.nil?
      pair = array(value)
      unexpected(value, "a key and its item") unless pair.size == 2
      {text(pair[0]), text(pair[1])}
    end

    private def self.unexpected(value : Value, wanted : String) : NoReturn
      raise value if value.is_a?(ServerError)
      raise ProtocolError.new("the reply should be #{wanted}, but is #{value.inspect}")
    end
  end
end
