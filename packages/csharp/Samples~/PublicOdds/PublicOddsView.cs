using System;
using System.Collections.Generic;
using System.Threading;
using UnityEngine;

namespace Itemwright.Samples
{
    /// <summary>
    /// Shows the published odds of a template. It needs no secret, so it may be part of a game that players download. Rolls
    /// are made by your game server.
    /// </summary>
    public sealed class PublicOddsView : MonoBehaviour
    {
        [SerializeField] private string url = "http://127.0.0.1:8080";
        [SerializeField] private string teamId = "";
        [SerializeField] private string templateId = "";

        private readonly CancellationTokenSource destroyed = new CancellationTokenSource();
        private readonly List<string> lines = new List<string>();
        private ItemwrightClient client;

        private async void Start()
        {
            lines.Add("Reading the odds of " + templateId + " ...");
            try
            {
                client = new ItemwrightClient(url);
                // Goes on here, on the main thread.
                var odds = await client.Public.OddsAsync(teamId, templateId, cancellationToken: destroyed.Token);
                lines.Clear();
                lines.Add(odds.Name);
                foreach (var tier in odds.Tiers) lines.Add((tier.Name ?? tier.Tier) + ": " + Percent(tier.Effective));
                foreach (var item in odds.Items) lines.Add(item.ItemName + ": " + Percent(item.Effective));
            }
            catch (OperationCanceledException)
            {
                // The scene is gone.
            }
            catch (Exception error)
            {
                // The message of an ItemwrightException names the operation, the path and what is wrong.
                lines.Clear();
                lines.Add(error.Message);
                Debug.LogException(error, this);
            }
        }

        private void OnDestroy()
        {
            destroyed.Cancel();
            client?.Dispose();
        }

        private void OnGUI()
        {
            foreach (var line in lines) GUILayout.Label(line);
        }

        private static string Percent(double? share) => share.HasValue ? share.Value.ToString("P2") : "?";
    }
}
