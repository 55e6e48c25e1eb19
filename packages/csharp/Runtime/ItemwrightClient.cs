using System;
using System.Net.Http;
using System.Threading;

namespace Itemwright
{
    /// <summary>A client of a service for one team. Use one for all calls: it keeps connections open.</summary>
    public sealed partial class ItemwrightClient : IDisposable
    {
        /// <summary>As many as a game server needs; some runtimes would allow two.</summary>
        private const int MaxConnections = 256;

        private readonly HttpClient own;

        public ItemwrightClient(ClientOptions options)
        {
            if (options == null) throw new ArgumentNullException(nameof(options));
            if (!Uri.TryCreate(options.Url, UriKind.Absolute, out var url) || (url.Scheme != "http" && url.Scheme != "https"))
                throw new ArgumentException("Url must begin with http:// or https://.", nameof(options));
            if (options.HttpClient == null) own = NewHttpClient();
            CreateOperations(new Caller(options, options.HttpClient ?? own));
        }

        public ItemwrightClient(string url, string teamId = null, string secret = null)
            : this(new ClientOptions { Url = url, TeamId = teamId, Secret = secret })
        {
        }

        /// <summary>Closes connections; calls under way fail.</summary>
        public void Dispose() => own?.Dispose();

        private static HttpClient NewHttpClient()
        {
            // A redirected POST could become a GET, and cookies are of no use.
            var handler = new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false };
            try
            {
                handler.MaxConnectionsPerServer = MaxConnections;
            }
            catch (PlatformNotSupportedException)
            {
                // Then there is no limit, or none that can be changed.
            }
            return new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
        }
    }
}
