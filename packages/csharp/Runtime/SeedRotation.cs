using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Itemwright
{
    /// <summary>What the service has committed to, before the client seed is known.</summary>
    public sealed class ShownCommitment
    {
        internal ShownCommitment(string commitment, string manifest)
        {
            Commitment = commitment;
            Manifest = manifest;
        }

        public string Commitment { get; }

        public string Manifest { get; }
    }

    public sealed partial class ItemwrightClient
    {
        private const int MostRefused = 4;

        /// <summary>
        /// Begins an epoch of a player, creating the player if needed. <paramref name="choose"/> gets what the service has
        /// committed to and returns the client seed, which must come from the player's device. If the service has committed to
        /// something else in the meantime, after a rotation elsewhere or a change of the catalog, it rejects the client seed,
        /// which it knows by then: so <paramref name="choose"/> is called again, and must return another one.
        /// </summary>
        public async Task<Rotated> RotateSeedsAsync(
            string userId,
            Func<ShownCommitment, Task<string>> choose,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            // Unlike elsewhere, it goes on where it began: in Unity, `choose` may touch the scene only on the main thread.
            var refused = new HashSet<string>();
            for (; ; )
            {
                var fairness = await Fairness.StartAsync(userId, null, cancellationToken);
                var shown = new ShownCommitment(fairness.NextCommitment, fairness.NextManifest);
                var request = new RotateRequest
                {
                    ClientSeed = await choose(shown),
                    Commitment = shown.Commitment,
                    Manifest = shown.Manifest,
                };
                if (refused.Contains(request.ClientSeed))
                    throw new InvalidOperationException("choose must return another client seed after a rejected one.");
                try
                {
                    return await Fairness.RotateAsync(userId, request, null, cancellationToken);
                }
                catch (ConflictException)
                {
                    if (refused.Count >= MostRefused) throw;
                    refused.Add(request.ClientSeed);
                }
            }
        }
    }
}
