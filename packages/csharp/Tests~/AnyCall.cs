using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;

namespace Itemwright.Tests
{
    /// <summary>Makes the call that a test describes.</summary>
    internal static class AnyCall
    {
        internal static ItemwrightClient ClientOf(JsonValue command) =>
            new ItemwrightClient((ClientOptions)Filled.Of(typeof(ClientOptions), command["client"]));

        internal static async Task<JsonValue> RunAsync(JsonValue command)
        {
            using (var client = ClientOf(command))
            using (var cancellation = new CancellationTokenSource())
            {
                var progress = new List<double>();
                if (command["cancelAfterMs"]?.AsInt64() == 0) cancellation.Cancel();
                else if (command["cancelAfterMs"] != null) cancellation.CancelAfter((int)command["cancelAfterMs"].AsInt64());
                // So that there is a connection that can be used again.
                if (command["warm"] != null) await client.Items.List().PageAsync();
                object called;
                try
                {
                    called = Start(client, command, progress, cancellation.Token);
                }
                catch (TargetInvocationException error)
                {
                    throw new InvalidOperationException("thrown before it was awaited: " + error.InnerException);
                }
                var awaited = called.GetType().Name.StartsWith("PagedList", StringComparison.Ordinal)
                    ? await ResultOf(Method(called, "PageAsync").Invoke(called, new object[] { command["cursor"]?.AsString(), cancellation.Token }))
                    : await ResultOf(Method(called, "WithResponse").Invoke(called, null));
                return Describe(awaited, progress);
            }
        }

        private static JsonValue Describe(object answer, List<double> progress)
        {
            var type = answer.GetType();
            Func<string, object> get = name => type.GetProperty(name)?.GetValue(answer);
            var data = get("Data") ?? get("Rows");
            return Json.Object(
                "data", data,
                "unknown", Json.Unknown(data),
                "status", get("Status"),
                "etag", get("ETag"),
                "requestId", get("RequestId"),
                "next", get("Next"),
                "text", get("Text"),
                "progress", progress);
        }

        private static object Start(ItemwrightClient client, JsonValue command, List<double> progress, CancellationToken token)
        {
            var name = command["operation"].AsString().Split('.');
            var group = typeof(ItemwrightClient).GetProperty(Pascal(name[0])).GetValue(client);
            var method = group.GetType().GetMethod(Pascal(name[1]) + "Async") ?? group.GetType().GetMethod(Pascal(name[1]));
            var ids = new Queue<string>((command["ids"]?.Items ?? new JsonValue[0]).Select(id => id.IsNull ? null : id.AsString()));
            var given = method.GetParameters().Select(parameter =>
            {
                var type = parameter.ParameterType;
                if (type == typeof(string)) return ids.Dequeue();
                if (type == typeof(CancellationToken)) return token;
                var part = typeof(CallOptions).IsAssignableFrom(type) ? "options" : typeof(Query).IsAssignableFrom(type) ? "query" : "body";
                var filled = command[part] == null ? null : Filled.Of(type, command[part]);
                if (filled is WatchOptions watch && command["watch"] != null) watch.Progress = new Watcher(progress, command["watch"].AsString());
                return filled;
            }).ToArray();
            return method.Invoke(group, given);
        }

        private static MethodInfo Method(object of, string name) => of.GetType().GetMethod(name);

        private static async Task<object> ResultOf(object task)
        {
            await (Task)task;
            return task.GetType().GetProperty("Result").GetValue(task);
        }

        private static string Pascal(string name) => char.ToUpperInvariant(name[0]) + name.Substring(1);

        private sealed class Watcher : IProgress<double>
        {
            private readonly List<double> progress;
            private readonly string error;

            internal Watcher(List<double> progress, string error)
            {
                this.progress = progress;
                this.error = error;
            }

            public void Report(double value)
            {
                progress.Add(value);
                if (error != "") throw new NotSupportedException(error);
            }
        }
    }
}
