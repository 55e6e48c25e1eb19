using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Itemwright.Tests
{
    /// <summary>Several players at the same time, each with several calls at the same time.</summary>
    internal static class Rolls
    {
        private const int Players = 8;
        private const int AtOnce = 4;

        internal static async Task<JsonValue> RunAsync(JsonValue command)
        {
            using (var client = AnyCall.ClientOf(command))
            {
                var left = (int)command["calls"].AsInt64();
                var played = Enumerable.Range(0, Players).Select(number => new Played("player-" + number)).ToArray();
                var callers = played.SelectMany(player => Enumerable.Range(0, AtOnce).Select(async _ =>
                {
                    for (var number = Interlocked.Decrement(ref left); number >= 0; number = Interlocked.Decrement(ref left))
                        await player.RollAsync(client, number);
                })).ToArray();
                await Task.WhenAll(callers);
                return Json.Of(played.Select(player => player.ToJson()));
            }
        }

        private sealed class Played
        {
            private readonly string userId;
            private readonly List<RollResult> plain = new List<RollResult>();
            private readonly List<TemplateRoll> banner = new List<TemplateRoll>();

            internal Played(string userId)
            {
                this.userId = userId;
            }

            internal async Task RollAsync(ItemwrightClient client, int number)
            {
                if (number % 2 == 0)
                {
                    var rolled = await client.Items.RollAsync(new RollRequest { UserId = userId });
                    lock (plain) plain.Add(rolled);
                    return;
                }
                var request = new TemplateRollRequest { UserId = userId, Count = number % 10 == 1 ? 10 : 1, Grant = true };
                var rolls = await client.Templates.RollAsync(number % 4 == 1 ? "banner-a" : "banner-b", request);
                lock (banner) banner.Add(rolls);
            }

            internal JsonValue ToJson() => Json.Object("userId", userId, "plain", plain, "banner", banner);
        }
    }
}
