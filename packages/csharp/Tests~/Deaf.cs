using System;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;

namespace Itemwright.Tests
{
    /// <summary>Calls through an <see cref="HttpClient"/> of the program's own, which never responds and never gives up.</summary>
    internal static class Deaf
    {
        internal static async Task<JsonValue> RunAsync(JsonValue command)
        {
            using (var http = new HttpClient(new Handler()) { Timeout = Timeout.InfiniteTimeSpan })
            using (var client = new ItemwrightClient(new ClientOptions { Url = "http://127.0.0.1", Retries = 0, HttpClient = http }))
            using (var cancellation = new CancellationTokenSource())
            {
                var timedOut = await ErrorOf(client.Team.GetAsync(new CallOptions { Timeout = TimeSpan.FromMilliseconds(50) }).AsTask());
                var call = client.Team.GetAsync(cancellationToken: cancellation.Token).AsTask();
                cancellation.Cancel();
                return Json.Of(new[] { timedOut, await ErrorOf(call) });
            }
        }

        private static async Task<string> ErrorOf(Task call)
        {
            try
            {
                await call;
                return null;
            }
            catch (Exception error)
            {
                return error.GetType().Name;
            }
        }

        private sealed class Handler : HttpMessageHandler
        {
            protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
                new TaskCompletionSource<HttpResponseMessage>().Task;
        }
    }
}
