using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Itemwright.Tests
{
    internal static class Lists
    {
        /// <summary>The ids of items, one after another, until one is found. This is what <c>await foreach</c> does.</summary>
        internal static async Task<JsonValue> WalkAsync(JsonValue command)
        {
            using (var client = AnyCall.ClientOf(command))
            {
                var ids = new List<string>();
                var walk = client.Items.List(new ListItemsQuery { Limit = 3 }).GetAsyncEnumerator();
                try
                {
                    while (await walk.MoveNextAsync())
                    {
                        ids.Add(walk.Current.Id);
                        if (walk.Current.Id == command["until"]?.AsString()) break;
                    }
                }
                finally
                {
                    await walk.DisposeAsync();
                }
                return Json.Of(ids);
            }
        }

        internal static async Task<JsonValue> AllAsync(JsonValue command)
        {
            using (var client = AnyCall.ClientOf(command))
            {
                var list = client.Items.List(new ListItemsQuery { Limit = 2 });
                var all = command["max"] == null ? await list.AllAsync() : await list.AllAsync((int)command["max"].AsInt64());
                return Json.Of(all.Select(item => item.Id));
            }
        }
    }
}
