using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Itemwright
{
    /// <summary>One page of a list.</summary>
    public sealed class Page<T>
    {
        internal Page(IReadOnlyList<T> rows, string next)
        {
            Rows = rows;
            Next = next;
        }

        public IReadOnlyList<T> Rows { get; }

        /// <summary>The cursor of the next page; null if this is the last one.</summary>
        public string Next { get; }
    }

    /// <summary>A list, which is read when it is walked: <c>await foreach (var item in client.Items.List())</c>.</summary>
    public sealed class PagedList<T> : IAsyncEnumerable<T>
    {
        private readonly Func<string, CancellationToken, Task<Answer<IReadOnlyList<T>>>> read;

        internal PagedList(Func<string, CancellationToken, Task<Answer<IReadOnlyList<T>>>> read)
        {
            this.read = read;
        }

        /// <summary>One page: the first, or the one at a cursor.</summary>
        public async Task<Page<T>> PageAsync(
            string cursor = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            var answer = await read(cursor, cancellationToken).ConfigureAwait(false);
            string next = null;
            answer.Next?.TryGetValue("cursor", out next);
            // A page that leads to itself would be read for ever.
            if (answer.Data == null || (cursor != null && next == cursor)) throw Errors.NotOurs(answer.Status);
            return new Page<T>(answer.Data, next);
        }

        /// <summary>
        /// All rows at once. Throws an <see cref="InvalidOperationException"/> if there are more than the maximum, so that
        /// none is left out unnoticed.
        /// </summary>
        public async Task<IReadOnlyList<T>> AllAsync(
            int max = 10000, CancellationToken cancellationToken = default(CancellationToken))
        {
            var all = new List<T>();
            string cursor = null;
            do
            {
                var page = await PageAsync(cursor, cancellationToken).ConfigureAwait(false);
                all.AddRange(page.Rows);
                if (all.Count > max) throw new InvalidOperationException("The list has more than " + max + " rows.");
                cursor = page.Next;
            }
            while (cursor != null);
            return all;
        }

        /// <summary>All rows, one after another; the next page is read when it is needed.</summary>
        public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default(CancellationToken)) =>
            new Walk(this, cancellationToken);

        /// <summary>Written out, since the compiler of Mono cannot make it of an iterator.</summary>
        private sealed class Walk : IAsyncEnumerator<T>
        {
            private readonly PagedList<T> list;
            private readonly CancellationToken cancellationToken;
            private Page<T> page;
            private int at;

            internal Walk(PagedList<T> list, CancellationToken cancellationToken)
            {
                this.list = list;
                this.cancellationToken = cancellationToken;
            }

            public T Current => page.Rows[at];

            public ValueTask<bool> MoveNextAsync()
            {
                at += 1;
                return page != null && at < page.Rows.Count ? new ValueTask<bool>(true) : new ValueTask<bool>(ReadNextAsync());
            }

            public ValueTask DisposeAsync() => default(ValueTask);

            private async Task<bool> ReadNextAsync()
            {
                do
                {
                    if (page != null && page.Next == null) return false;
                    page = await list.PageAsync(page?.Next, cancellationToken).ConfigureAwait(false);
                    at = 0;
                }
                while (page.Rows.Count == 0);
                return true;
            }
        }
    }
}
