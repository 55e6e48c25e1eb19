using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Threading.Tasks;

namespace Itemwright.Tests
{
    /// <summary>Reads commands, one JSON object per line, and answers each with another.</summary>
    internal static class Program
    {
        private static readonly Dictionary<string, Func<JsonValue, Task<JsonValue>>> Commands =
            new Dictionary<string, Func<JsonValue, Task<JsonValue>>>
            {
                ["call"] = AnyCall.RunAsync,
                ["json"] = command => Task.FromResult(JsonValue.Parse(command["text"].AsString())),
                ["rolls"] = Rolls.RunAsync,
                ["tour"] = Tour.RunAsync,
                ["walk"] = Lists.WalkAsync,
                ["all"] = Lists.AllAsync,
                ["invalid"] = Invalid.RunAsync,
                ["deaf"] = Deaf.RunAsync,
            };

        private static void Main()
        {
            var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true };
            var input = new StreamReader(Console.OpenStandardInput(), Encoding.UTF8);
            for (var line = input.ReadLine(); line != null; line = input.ReadLine())
                output.WriteLine(AnswerAsync(JsonValue.Parse(line)).GetAwaiter().GetResult());
        }

        private static async Task<JsonValue> AnswerAsync(JsonValue command)
        {
            try
            {
                return Json.Object("data", await Commands[command["do"].AsString()](command));
            }
            catch (Exception error)
            {
                return Json.Object("error", Json.Error(error));
            }
        }
    }
}
