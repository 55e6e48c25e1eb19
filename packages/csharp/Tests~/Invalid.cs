using System;
using System.Threading.Tasks;

namespace Itemwright.Tests
{
    internal static class Invalid
    {
        /// <summary>The errors of clients that cannot be created, and of numbers that JSON lacks.</summary>
        internal static Task<JsonValue> RunAsync(JsonValue command) =>
            Task.FromResult(Json.Of(new[]
            {
                ErrorOf(() => new ItemwrightClient("nonsense")),
                ErrorOf(() => new ItemwrightClient("ftp://example.com")),
                ErrorOf(() => new ItemwrightClient((string)null)),
                ErrorOf(() => new ItemwrightClient((ClientOptions)null)),
                ErrorOf(() => new NewItem { RollNumerator = double.NaN }.ToJson()),
            }));

        private static string ErrorOf(Func<object> create)
        {
            try
            {
                create();
                return null;
            }
            catch (Exception error)
            {
                return error.GetType().Name;
            }
        }
    }
}
