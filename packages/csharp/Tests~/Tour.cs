using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Itemwright.Tests
{
    /// <summary>What a game does with the service, as a program would say it.</summary>
    internal static class Tour
    {
        internal static async Task<JsonValue> RunAsync(JsonValue command)
        {
            using (var client = AnyCall.ClientOf(command))
            {
                await CatalogAsync(client);
                await RollsAsync(client);
                await InventoryAsync(client);
                await DocumentAsync(client);
                await FairnessAsync(client);
                await SimulationAsync(client);
                await CancellationAsync(client);
                return "done";
            }
        }

        private static async Task CatalogAsync(ItemwrightClient client)
        {
            var rarity = await client.Classifiers.CreateAsync(new NewClassifier
            {
                Name = "Rarity",
                ClassifierOptions = new[]
                {
                    new NewClassifierClassifierOption { Name = "Common", DropRateMultiplier = 1 },
                    new NewClassifierClassifierOption { Name = "Rare", DropRateMultiplier = 0.1 },
                },
            });
            var rare = rarity.ClassifierOptions.First(option => option.Name == "Rare").Id;
            await client.Items.CreateAsync(new NewItem
            {
                Id = "sword",
                Name = "Sword \"of\" Dawn \u2600\ud83d\udde1",
                Thumbnail = "sword.png",
                ClassifierOptionIds = new[] { rare },
                Data = JsonValue.Object(new Dictionary<string, JsonValue> { ["sound"] = "clang", ["quests"] = JsonValue.Array(7, 12.5) }),
            });
            var answer = await client.Items.GetAsync("sword").WithResponse();
            var sword = answer.Data;
            Check(sword.Name == "Sword \"of\" Dawn \u2600\ud83d\udde1", sword.Name);
            Check(sword.Data["quests"][1].AsDouble() == 12.5, "data");
            Check(answer.Status == 200 && answer.ETag != null && answer.RequestId != null, "response");

            // What is left out stays, what is null is removed.
            await client.Items.UpdateAsync("sword", new ItemChange { Width = 2 });
            Check((await client.Items.GetAsync("sword")).Thumbnail == "sword.png", "kept");
            var bare = await client.Items.UpdateAsync("sword", new ItemChange { Thumbnail = null });
            Check(bare.Thumbnail == null && bare.Width == 2, "removed");
            await Fails<PreconditionFailedException>(
                () => client.Items.UpdateAsync("sword", new ItemChange { Name = "Mine" }, new ChangeOptions { IfMatch = answer.ETag }).AsTask());

            var taken = await Fails<ValidationException>(() => client.Items.CreateAsync(new NewItem { Id = "sword", Name = "Another" }).AsTask());
            Check(taken.Operation == "items.create" && taken.Method == "POST" && taken.Path == "/items", "names");
            Check(taken.Issues.Count > 0 && taken.Message.Contains(taken.Issues[0].Path) && taken.Message.StartsWith("items.create (POST /items): 400 "), taken.Message);
            await Fails<NotFoundException>(() => client.Items.GetAsync("no such/thing \u00e4").AsTask());

            for (var number = 0; number < 6; number += 1)
                await client.Items.CreateAsync(new NewItem { Id = "coin-" + number, Name = "Coin " + number, RollNumerator = number == 5 ? 0 : 100 });
            await client.Templates.CreateAsync(new NewTemplate
            {
                Id = "banner",
                Name = "Banner",
                Type = TemplateType.Gacha,
                Config = new GachaConfig
                {
                    Pool = new GachaConfigPool { ItemIds = new[] { "sword", "coin-0" } },
                    StartsAt = "2020-01-01T00:00:00.000Z",
                },
            });
            await client.Templates.CreateAsync(new NewTemplate
            {
                Id = "pack",
                Name = "Pack",
                Type = TemplateType.CardPack,
                Config = new CardPackConfig { Slots = new[] { new CardPackConfigSlot { Count = 3 } } },
                Disclosure = TemplateDisclosure.Public,
            });
            var config = (await client.Templates.GetAsync("banner")).Config as GachaConfig;
            Check(config != null && config.Pool.ItemIds.Count == 2 && config.StartsAt.StartsWith("2020"), "config");
            Check((await client.Templates.GetAsync("pack")).Config is CardPackConfig, "another config");
            Check((await client.Templates.ListOfType("card_pack").AllAsync()).Single().Id == "pack", "of type");
        }

        private static async Task RollsAsync(ItemwrightClient client)
        {
            Check((await client.Items.RollAsync()).ItemInstance == null, "a roll for nobody");
            var key = new PostOptions { IdempotencyKey = "purchase-4711" };
            var first = await client.Items.RollAsync(new RollRequest { UserId = "ann" }, key);
            var again = await client.Items.RollAsync(new RollRequest { UserId = "ann" }, key);
            Check(first.ItemInstance.Id == again.ItemInstance.Id, "the same roll");
            var rolled = await client.Templates.RollAsync("banner", new TemplateRollRequest { UserId = "ann", Count = 10, Grant = true });
            Check(rolled.Rolls.Count == 10 && rolled.State.Rolls == 10, "ten rolls");
            Check((await client.Users.TemplateStateAsync("ann", "banner")).Rolls == 10, "state");

            var list = client.ItemInstances.List(new ListItemInstancesQuery { UserId = "ann", Limit = 4 });
            var ids = new List<string>();
            var walk = list.GetAsyncEnumerator();
            while (await walk.MoveNextAsync()) ids.Add(walk.Current.Id);
            await walk.DisposeAsync();
            Check(ids.Count == 11 && ids.Distinct().Count() == 11, "eleven instances");
            var page = await list.PageAsync();
            Check(page.Rows.Count == 4 && (await list.PageAsync(page.Next)).Rows[0].Id == ids[4], "pages");
            var some = new ListItemInstancesQuery { InstanceIds = new[] { ids[0], ids[7] } };
            Check((await client.ItemInstances.List(some).AllAsync()).Count == 2, "two of them");
            Check((await client.Templates.OddsAsync("banner")).Items.Count == 2, "odds");
            Check((await client.RollEvents.StatsAsync()).TotalRolls == 12, "statistics");
        }

        private static async Task InventoryAsync(ItemwrightClient client)
        {
            await client.Spaces.CreateAsync(new NewSpace { Id = "bag", Name = "Bag", Cols = 4, Rows = 4 });
            var space = await client.UserSpaces.CreateAsync("bob", new NewUserSpace { SpaceId = "bag" });
            var batch = new Batch
            {
                Operations = new BatchOperation[]
                {
                    new CreateOperation { UserId = "bob", ItemId = "coin-1", UserSpaceId = space.Id },
                    new CreateOperation { UserId = "bob", ItemId = "coin-2" },
                },
            };
            var results = (await client.ItemInstances.BatchAsync(batch)).Results;
            Check(results.Count == 2 && results[0].UserId == "bob", "batch");
            await client.ItemInstances.DeleteAsync(results[1].Id);
            var gone = await Fails<NotFoundException>(() => client.ItemInstances.DeleteAsync(results[1].Id).AsTask());
            Check(!gone.MaybeDone && gone.Attempts == 1, "gone");
            Check((await client.UserSpaces.GetAsync("bob", space.Id)).ItemInstances.Count == 1, "in the bag");
        }

        private static async Task DocumentAsync(ItemwrightClient client)
        {
            var catalog = await client.Catalog.GetAsync();
            var same = new PlanDocument
            {
                FormatVersion = catalog.FormatVersion,
                Attributes = catalog.Attributes,
                Classifiers = catalog.Classifiers,
                Spaces = catalog.Spaces,
                Items = catalog.Items,
                Templates = catalog.Templates,
            };
            var plan = await client.Catalog.PlanAsync(same);
            Check(plan.Faults.Count == 0 && plan.Changes.Count == 0, "what was read is what is there");
            var changes = new[] { new WantedChange { Kind = WantedChangeKind.Item, Id = "coin-5", After = null } };
            plan = await client.Catalog.PlanAsync(new PlanChanges { Changes = changes });
            Check(plan.Summary.Delete == 1, "one less");
            var version = await client.Catalog.PublishAsync(new PublishChanges { Changes = changes, BaseVersion = plan.BaseVersion, Message = "less" });
            Check(version.Version == plan.BaseVersion + 1, "published");
            await Fails<NotFoundException>(() => client.Items.GetAsync("coin-5").AsTask());
        }

        private static async Task FairnessAsync(ItemwrightClient client)
        {
            var asked = 0;
            var rotated = await client.RotateSeedsAsync("carl", async shown =>
            {
                asked += 1;
                // Another rotation comes in between.
                if (asked == 1)
                    await client.Fairness.RotateAsync("carl", new RotateRequest { ClientSeed = "theirs", Commitment = shown.Commitment, Manifest = shown.Manifest });
                return "lucky clover " + asked;
            });
            Check(asked == 2 && rotated.Epoch == (await client.Fairness.GetAsync("carl")).Epoch, "rotated");
            Check((await client.Users.ProofAsync("carl", new GetProofQuery { Epoch = "all" })).Receipts != null, "proof");
        }

        private static async Task SimulationAsync(ItemwrightClient client)
        {
            var reports = new List<double>();
            var request = new SimulationRequest { TemplateId = "banner", Players = 1000, Rolls = 10, Seed = "a" };
            var watched = await client.Templates.SimulateAsync(request, new WatchOptions { Progress = new Reports(reports) });
            Check(reports.First() == 0 && reports.Last() == 1, "progress");
            Check(watched.ToString() == (await client.Templates.SimulateAsync(request)).ToString(), "the same without progress");
        }

        private static async Task CancellationAsync(ItemwrightClient client)
        {
            using (var source = new CancellationTokenSource())
            {
                source.Cancel();
                await Fails<OperationCanceledException>(() => client.Items.RollAsync(cancellationToken: source.Token).AsTask());
                await Fails<OperationCanceledException>(() => client.Items.List().AllAsync(cancellationToken: source.Token));
                await Fails<OperationCanceledException>(() => client.Items.List().GetAsyncEnumerator(source.Token).MoveNextAsync().AsTask());
            }
        }

        private static async Task<T> Fails<T>(Func<Task> call)
            where T : Exception
        {
            try
            {
                await call();
            }
            catch (T error)
            {
                return error;
            }
            throw new InvalidOperationException("There was no " + typeof(T).Name + ".");
        }

        private static void Check(bool isTrue, string what)
        {
            if (!isTrue) throw new InvalidOperationException("Not so: " + what);
        }

        private sealed class Reports : IProgress<double>
        {
            private readonly List<double> reports;

            internal Reports(List<double> reports)
            {
                this.reports = reports;
            }

            public void Report(double value) => reports.Add(value);
        }
    }
}
