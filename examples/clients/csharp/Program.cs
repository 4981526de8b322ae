// Borrows and returns equipment (docs/tutorial.md). .NET 8 or newer, no packages.
//
//   DOCKET_URL=http://127.0.0.1:8080 DOCKET_TOKEN=… dotnet run -- list
//   … dotnet run -- take "Camera 1" 2026-12-24
//   … dotnet run -- return "Camera 1"

using System.Net.Http.Headers;
using System.Text;
using System.Text.Json.Nodes;

const int Attempts = 5;
var url = Environment.GetEnvironmentVariable("DOCKET_URL") ?? "http://127.0.0.1:8080";
using var http = new HttpClient();
http.DefaultRequestHeaders.Authorization =
    new AuthenticationHeaderValue("Bearer", Environment.GetEnvironmentVariable("DOCKET_TOKEN"));

try
{
    switch (args)
    {
        case ["list"]:
            foreach (var item in await ListFree()) Console.WriteLine($"{item!["name"]} ({item["kind"]})");
            return 0;
        case ["take", var name, var dueOn]:
            Console.WriteLine($"You have {name} until {(await Take(name, dueOn))["due_on"]}.");
            return 0;
        case ["return", var name]:
            Console.WriteLine($"{(await GiveBack(name))["name"]} is free.");
            return 0;
        default:
            throw new InvalidOperationException("Say list, take NAME DATE or return NAME.");
    }
}
catch (Exception error) when (error is DocketException or InvalidOperationException)
{
    Console.Error.WriteLine(error.Message);
    return 1;
}

// Sends a request. Waits and repeats it when the server is busy (429) or cannot reach its database (503).
async Task<(JsonNode Data, string? ETag)> Send(HttpMethod method, string path, string query, JsonObject? body = null, string? etag = null)
{
    for (var attempt = 1; ; attempt += 1)
    {
        using var request = new HttpRequestMessage(method, $"{url}{path}?{query}");
        if (body is not null) request.Content = new StringContent(body.ToJsonString(), Encoding.UTF8, "application/json");
        if (etag is not null) request.Headers.TryAddWithoutValidation("If-Match", etag);
        using var response = await http.SendAsync(request);
        var answer = JsonNode.Parse(await response.Content.ReadAsStringAsync())!;
        if (response.IsSuccessStatusCode) return (answer["data"]!, response.Headers.ETag?.ToString());
        var status = (int)response.StatusCode;
        // A write may have happened before a 503, so only reads are repeated then.
        var mayRepeat = status == 429 || (status == 503 && method == HttpMethod.Get);
        if (!mayRepeat || attempt == Attempts) throw new DocketException(answer["errors"]![0]!);
        await Task.Delay(response.Headers.RetryAfter?.Delta ?? TimeSpan.FromSeconds(1));
    }
}

// A value of a condition as data: `^` separates conditions, and `^'` keeps the server from computing `javascript:…`.
static string Quoted(string value) => "^'" + value.Replace("^", "^^");

static string Query(params (string Name, string Value)[] parameters) =>
    string.Join('&', parameters.Select(each => $"{each.Name}={Uri.EscapeDataString(each.Value)}"));

async Task<JsonArray> ListFree()
{
    var query = Query(("sysparm_query", "holderISEMPTY^ORDERBYname"), ("sysparm_fields", "name,kind"), ("sysparm_limit", "100"));
    return (await Send(HttpMethod.Get, "/rest/v1/table/equipment", query)).Data.AsArray();
}

// The path of the record, the record, and its version.
async Task<(string Path, JsonNode Record, string? ETag)> Find(string name)
{
    var query = Query(("sysparm_query", $"name={Quoted(name)}"), ("sysparm_fields", "sys_id"), ("sysparm_limit", "1"));
    var found = (await Send(HttpMethod.Get, "/rest/v1/table/equipment", query)).Data.AsArray();
    if (found.Count == 0) throw new InvalidOperationException($"There is no {name}.");
    var path = $"/rest/v1/table/equipment/{found[0]!["sys_id"]}";
    var (records, etag) = await Send(HttpMethod.Get, path, Query(("sysparm_display_value", "all")));
    return (path, records[0]!, etag);
}

// Changes the record as it was read. If somebody changed it in between, reads it again.
async Task<JsonNode> Change(string name, Action<JsonNode> check, Func<JsonObject> values)
{
    for (var attempt = 1; ; attempt += 1)
    {
        var (path, item, etag) = await Find(name);
        check(item);
        try
        {
            return (await Send(HttpMethod.Patch, path, Query(("sysparm_fields", "name,due_on")), values(), etag)).Data[0]!;
        }
        catch (DocketException error) when (error.Reason == "stale" && attempt < Attempts)
        {
        }
    }
}

async Task<JsonNode> Take(string name, string dueOn)
{
    var user = (await Send(HttpMethod.Get, "/v1/auth/session", "")).Data["user"]!["sys_id"]!.ToString();
    return await Change(
        name,
        item =>
        {
            var holder = item["holder"]!;
            if (holder["value"] is not null) throw new InvalidOperationException($"{name} is with {holder["display_value"]}.");
        },
        () => new JsonObject { ["holder"] = user, ["due_on"] = dueOn });
}

Task<JsonNode> GiveBack(string name) =>
    Change(name, _ => { }, () => new JsonObject { ["holder"] = null, ["due_on"] = null });

// What the server says is wrong: the code is for programs, the message for people (docs/errors.md).
sealed class DocketException(JsonNode error) : Exception(error["message"]!.ToString())
{
    public string Code { get; } = error["code"]!.ToString();
    public string? Reason { get; } = error["reason"]?.ToString();
}
