using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;

namespace Itemwright
{
    /// <summary>A request that may be sent several times, each time the same.</summary>
    internal sealed class Prepared
    {
        internal HttpClient Http;
        internal Operation Operation;
        internal string Path;
        internal string Url;
        internal Dictionary<string, string> Headers;
        internal string Body;
        internal IProgress<double> Progress;

        /// <summary>Whether sending it again is safe.</summary>
        internal bool IsRepeatable;
        internal string IdempotencyKey;
        internal TimeSpan Timeout;
        internal TimeSpan TotalTimeout;
        internal int Retries;
    }

    /// <summary>Sends requests until there is a result, or sending them again is unsafe or of no use.</summary>
    internal static class Sender
    {
        /// <summary>The n-th pause is random, from 0 to twice as much as the one before: clients must not all retry at the same moment.</summary>
        private const double FirstPauseMs = 200;
        private const double MaxPauseMs = 10000;

        /// <summary>However long a service, or something in front of it, asks to wait.</summary>
        private const double MaxRetryAfterMs = 30000;

        private static readonly Random Random = new Random();

        internal static async Task<Answer<T>> SendAsync<T>(
            Prepared prepared, Func<JsonValue, T> read, CancellationToken cancellationToken)
        {
            var clock = Stopwatch.StartNew();
            var maybeDone = false;
            for (var attempts = 1; ; attempts += 1)
            {
                cancellationToken.ThrowIfCancellationRequested();
                double pauseMs;
                try
                {
                    return await AttemptAsync(prepared, read, Left(prepared, clock), cancellationToken).ConfigureAwait(false);
                }
                catch (ItemwrightException error)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    maybeDone = maybeDone || error.Status == 0 || error.Status >= 500;
                    error.Operation = prepared.Operation.Name;
                    error.Method = prepared.Operation.Method;
                    error.Path = prepared.Path;
                    error.MaybeDone = maybeDone;
                    error.Attempts = attempts;
                    error.IdempotencyKey = prepared.IdempotencyKey;
                    pauseMs = PauseMs(error, attempts);
                    var isOver = pauseMs >= Left(prepared, clock).TotalMilliseconds;
                    if (!prepared.IsRepeatable || !error.IsTemporary || attempts > prepared.Retries || isOver) throw;
                }
                await Task.Delay(TimeSpan.FromMilliseconds(pauseMs), cancellationToken).ConfigureAwait(false);
            }
        }

        /// <summary>How much time there is for the whole call.</summary>
        private static TimeSpan Left(Prepared prepared, Stopwatch clock)
        {
            if (prepared.TotalTimeout == Timeout.InfiniteTimeSpan) return TimeSpan.MaxValue;
            var left = prepared.TotalTimeout - clock.Elapsed;
            return left < TimeSpan.Zero ? TimeSpan.Zero : left;
        }

        private static double PauseMs(ItemwrightException error, int attempts)
        {
            double share;
            lock (Random) share = Random.NextDouble();
            var wanted = error.RetryAfter?.TotalMilliseconds ?? 0;
            return Math.Min(wanted, MaxRetryAfterMs) + share * Math.Min(FirstPauseMs * Math.Pow(2, attempts - 1), MaxPauseMs);
        }

        /// <summary>Sends a request once.</summary>
        private static async Task<Answer<T>> AttemptAsync<T>(
            Prepared prepared, Func<JsonValue, T> read, TimeSpan left, CancellationToken cancellationToken)
        {
            var clock = Stopwatch.StartNew();
            using (var timer = new CancellationTokenSource())
            using (var both = CancellationTokenSource.CreateLinkedTokenSource(timer.Token, cancellationToken))
            {
                var stopped = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
                Action startTimer = () =>
                    timer.CancelAfter(Delay(prepared.Timeout, left == TimeSpan.MaxValue ? left : left - clock.Elapsed));
                using (both.Token.Register(() => stopped.TrySetResult(true)))
                {
                    startTimer();
                    var work = Exchange.RunAsync(prepared, read, startTimer, both.Token);
                    // Not every HttpClient gives up at once when it is told to, so nobody waits for that.
                    var first = await Task.WhenAny(work, stopped.Task).ConfigureAwait(false);
                    if (first != work || (work.IsFaulted || work.IsCanceled) && both.IsCancellationRequested)
                    {
                        Forget(work);
                        cancellationToken.ThrowIfCancellationRequested();
                        throw new ConnectionTimeoutException();
                    }
                    return await work.ConfigureAwait(false);
                }
            }
        }

        /// <summary>The shorter of two times, as far as a timer can wait.</summary>
        private static TimeSpan Delay(TimeSpan timeout, TimeSpan rest)
        {
            var shorter = timeout == Timeout.InfiniteTimeSpan || rest < timeout ? rest : timeout;
            if (shorter < TimeSpan.Zero) return TimeSpan.Zero;
            return shorter.TotalMilliseconds > int.MaxValue ? TimeSpan.FromMilliseconds(int.MaxValue) : shorter;
        }

        /// <summary>What becomes of it interests nobody any more.</summary>
        private static void Forget(Task work) =>
            work.ContinueWith(done => done.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
    }
}
