using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Itemwright
{
    /// <summary>A call under way. Await it to get its result.</summary>
    public sealed class Call<T>
    {
        private readonly Task<Answer<T>> answer;

        internal Call(Task<Answer<T>> answer)
        {
            this.answer = answer;
        }

        /// <summary>The result together with its <c>ETag</c> and the response.</summary>
        public Task<Answer<T>> WithResponse() => answer;

        /// <summary>The result as a task, for <see cref="Task.WhenAll(Task[])"/> and the like.</summary>
        public async Task<T> AsTask() => (await answer.ConfigureAwait(false)).Data;

        public TaskAwaiter<T> GetAwaiter() => AsTask().GetAwaiter();

        public ConfiguredTaskAwaitable<T> ConfigureAwait(bool continueOnCapturedContext) =>
            AsTask().ConfigureAwait(continueOnCapturedContext);
    }
}
