using System;
using System.Collections.Generic;
using System.Text;

namespace Itemwright
{
    /// <summary>Reads JSON as RFC 8259 has it, and nothing else.</summary>
    internal sealed class JsonReader
    {
        /// <summary>Deeper than anything of the service; what would be deeper could overflow the stack.</summary>
        private const int MaxDepth = 256;

        private readonly string json;
        private int at;
        private int depth;

        internal JsonReader(string json)
        {
            this.json = json ?? throw new ArgumentNullException(nameof(json));
        }

        internal JsonValue ReadAll()
        {
            var value = ReadValue();
            SkipSpace();
            if (at < json.Length) throw Wrong();
            return value;
        }

        private FormatException Wrong() =>
            new FormatException(at < json.Length ? "There is no JSON at character " + at + "." : "The JSON ends too early.");

        private char Peek()
        {
            if (at >= json.Length) throw Wrong();
            return json[at];
        }

        private void SkipSpace()
        {
            while (at < json.Length && (json[at] == ' ' || json[at] == '\n' || json[at] == '\r' || json[at] == '\t')) at += 1;
        }

        private bool Take(char wanted)
        {
            SkipSpace();
            if (Peek() != wanted) return false;
            at += 1;
            return true;
        }

        private void Expect(char wanted)
        {
            if (!Take(wanted)) throw Wrong();
        }

        private JsonValue ReadValue()
        {
            SkipSpace();
            switch (Peek())
            {
                case '{':
                    return ReadObject();
                case '[':
                    return ReadArray();
                case '"':
                    return ReadString();
                case 't':
                    return ReadWord("true", JsonValue.True);
                case 'f':
                    return ReadWord("false", JsonValue.False);
                case 'n':
                    return ReadWord("null", JsonValue.Null);
                default:
                    return ReadNumber();
            }
        }

        private void Enter()
        {
            at += 1;
            depth += 1;
            if (depth > MaxDepth) throw new FormatException("The JSON is too deep.");
        }

        private JsonValue ReadObject()
        {
            Enter();
            var members = new List<KeyValuePair<string, JsonValue>>();
            if (!Take('}'))
            {
                do
                {
                    SkipSpace();
                    if (Peek() != '"') throw Wrong();
                    var name = ReadString();
                    Expect(':');
                    members.Add(new KeyValuePair<string, JsonValue>(name, ReadValue()));
                }
                while (Take(','));
                Expect('}');
            }
            depth -= 1;
            return JsonValue.Object(members);
        }

        private JsonValue ReadArray()
        {
            Enter();
            var values = new List<JsonValue>();
            if (!Take(']'))
            {
                do values.Add(ReadValue());
                while (Take(','));
                Expect(']');
            }
            depth -= 1;
            return JsonValue.Array(values);
        }

        private JsonValue ReadWord(string word, JsonValue value)
        {
            foreach (var letter in word)
            {
                if (Peek() != letter) throw Wrong();
                at += 1;
            }
            return value;
        }

        private bool SkipDigits()
        {
            var start = at;
            while (at < json.Length && json[at] >= '0' && json[at] <= '9') at += 1;
            return at > start;
        }

        private bool SkipOne(string of)
        {
            if (at >= json.Length || of.IndexOf(json[at]) < 0) return false;
            at += 1;
            return true;
        }

        private JsonValue ReadNumber()
        {
            var start = at;
            SkipOne("-");
            if (!SkipOne("0") && !SkipDigits()) throw Wrong();
            if (SkipOne(".") && !SkipDigits()) throw Wrong();
            if (SkipOne("eE"))
            {
                SkipOne("+-");
                if (!SkipDigits()) throw Wrong();
            }
            return JsonValue.Number(json.Substring(start, at - start));
        }

        private string ReadString()
        {
            at += 1;
            var start = at;
            while (Peek() != '"' && Peek() != '\\' && Peek() >= ' ') at += 1;
            // Most strings have no escapes.
            if (Peek() == '"') return json.Substring(start, at++ - start);
            var text = new StringBuilder(json, start, at - start, 2 * (at - start) + 16);
            for (; ; )
            {
                var one = Peek();
                if (one < ' ') throw Wrong();
                at += 1;
                if (one == '"') return text.ToString();
                text.Append(one == '\\' ? ReadEscape() : one);
            }
        }

        private char ReadEscape()
        {
            var one = Peek();
            at += 1;
            switch (one)
            {
                case '"':
                case '\\':
                case '/':
                    return one;
                case 'b':
                    return '\b';
                case 'f':
                    return '\f';
                case 'n':
                    return '\n';
                case 'r':
                    return '\r';
                case 't':
                    return '\t';
                case 'u':
                    return ReadCode();
                default:
                    at -= 1;
                    throw Wrong();
            }
        }

        private char ReadCode()
        {
            var code = 0;
            for (var digit = 0; digit < 4; digit += 1)
            {
                var value = "0123456789abcdef".IndexOf(char.ToLowerInvariant(Peek()));
                if (value < 0) throw Wrong();
                code = 16 * code + value;
                at += 1;
            }
            return (char)code;
        }
    }
}
