// Generated from docs/connect by `make gen`. Not to be edited.
export const snippets = {
  "node": {
    "title": "Node.js",
    "notes": "",
    "install": "npm install tigerbeetle-node@0.17.9\n",
    "file": {
      "name": "main.js",
      "content": "const { createClient } = require('tigerbeetle-node');\n\nconst client = createClient({\n  cluster_id: BigInt(process.env.TB_CLUSTER_ID),\n  replica_addresses: process.env.TB_ADDRESS.split(','),\n});\n\nclient\n  .lookupAccounts([{{accountId}}n])\n  .then((accounts) => console.log(`connected; ${accounts.length} accounts found`))\n  .finally(() => client.destroy());\n"
    },
    "run": "ledgerhouse connect {{database}} --exec -- node main.js\n"
  },
  "go": {
    "title": "Go",
    "notes": "The client needs a C compiler.",
    "install": "go mod init example\ngo get github.com/tigerbeetle/tigerbeetle-go@v0.17.9\n",
    "file": {
      "name": "main.go",
      "content": "package main\n\nimport (\n\t\"fmt\"\n\t\"log\"\n\t\"math/big\"\n\t\"os\"\n\t\"strings\"\n\n\ttb \"github.com/tigerbeetle/tigerbeetle-go\"\n)\n\nfunc uint128(decimal string) tb.Uint128 {\n\tvalue, ok := new(big.Int).SetString(decimal, 10)\n\tif !ok {\n\t\tlog.Fatalf(\"%q is not a number\", decimal)\n\t}\n\treturn tb.BigIntToUint128(value)\n}\n\nfunc main() {\n\tclient, err := tb.NewClient(uint128(os.Getenv(\"TB_CLUSTER_ID\")), strings.Split(os.Getenv(\"TB_ADDRESS\"), \",\"))\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tdefer client.Close()\n\n\taccounts, err := client.LookupAccounts([]tb.Uint128{uint128(\"{{accountId}}\")})\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tfmt.Printf(\"connected; %d accounts found\\n\", len(accounts))\n}\n"
    },
    "run": "ledgerhouse connect {{database}} --exec -- go run main.go\n"
  },
  "java": {
    "title": "Java",
    "notes": "You need Java 17 and Maven. The newest client on Maven Central is release 0.16.30; clusters of release 0.17 serve it.",
    "install": "mvn -q dependency:copy -Dartifact=com.tigerbeetle:tigerbeetle-java:0.16.30 -DoutputDirectory=.\n",
    "file": {
      "name": "Main.java",
      "content": "import com.tigerbeetle.Client;\nimport com.tigerbeetle.IdBatch;\nimport com.tigerbeetle.UInt128;\nimport java.math.BigInteger;\n\npublic final class Main {\n    public static void main(String[] args) throws Exception {\n        byte[] clusterId = UInt128.asBytes(new BigInteger(System.getenv(\"TB_CLUSTER_ID\")));\n        String[] addresses = System.getenv(\"TB_ADDRESS\").split(\",\");\n        try (Client client = new Client(clusterId, addresses)) {\n            IdBatch ids = new IdBatch(1);\n            ids.add(UInt128.asBytes(new BigInteger(\"{{accountId}}\")));\n            System.out.println(\"connected; \" + client.lookupAccounts(ids).getLength() + \" accounts found\");\n        }\n    }\n}\n"
    },
    "run": "ledgerhouse connect {{database}} --exec -- java -cp tigerbeetle-java-0.16.30.jar Main.java\n"
  },
  "dotnet": {
    "title": ".NET",
    "notes": "This snippet was checked against the client's documentation only; it was not run.",
    "install": "dotnet new console\ndotnet add package tigerbeetle --version 0.17.9\n",
    "file": {
      "name": "Program.cs",
      "content": "using System;\nusing TigerBeetle;\n\nvar clusterId = UInt128.Parse(Environment.GetEnvironmentVariable(\"TB_CLUSTER_ID\")!);\nvar addresses = Environment.GetEnvironmentVariable(\"TB_ADDRESS\")!.Split(',');\n\nusing var client = new Client(clusterId, addresses);\nvar accounts = client.LookupAccounts(new[] { UInt128.Parse(\"{{accountId}}\") });\nConsole.WriteLine($\"connected; {accounts.Length} accounts found\");\n"
    },
    "run": "ledgerhouse connect {{database}} --exec -- dotnet run\n"
  },
  "python": {
    "title": "Python",
    "notes": "",
    "install": "python3 -m venv venv\nvenv/bin/pip install tigerbeetle==0.17.9\n",
    "file": {
      "name": "main.py",
      "content": "import os\n\nimport tigerbeetle as tb\n\nwith tb.ClientSync(\n    cluster_id=int(os.environ[\"TB_CLUSTER_ID\"]),\n    replica_addresses=os.environ[\"TB_ADDRESS\"],\n) as client:\n    accounts = client.lookup_accounts([{{accountId}}])\n    print(f\"connected; {len(accounts)} accounts found\")\n"
    },
    "run": "ledgerhouse connect {{database}} --exec -- venv/bin/python main.py\n"
  },
  "rust": {
    "title": "Rust",
    "notes": "",
    "install": "cargo init --name connect\ncargo add tigerbeetle@=0.17.9 futures@0.3\n",
    "file": {
      "name": "src/main.rs",
      "content": "use futures::executor::block_on;\nuse std::env;\nuse tigerbeetle::Client;\n\nfn main() -> Result<(), Box<dyn std::error::Error>> {\n    let cluster_id = env::var(\"TB_CLUSTER_ID\")?.parse()?;\n    let client = Client::new(cluster_id, &env::var(\"TB_ADDRESS\")?)?;\n    let accounts = block_on(client.lookup_accounts(&[{{accountId}}]))?;\n    println!(\"connected; {} accounts found\", accounts.len());\n    Ok(())\n}\n"
    },
    "run": "ledgerhouse connect {{database}} --exec -- cargo run --quiet\n"
  },
  "curl": {
    "title": "curl",
    "notes": "No tunnel is needed: the ledger has an HTTP API. The variable holds an API key.",
    "install": null,
    "file": null,
    "run": "curl --fail-with-body \"{{baseUrl}}/api/v1/databases/{{databaseId}}/tb/lookup_accounts\" \\\n  -H \"x-api-key: $LEDGERHOUSE_API_KEY\" \\\n  -H \"content-type: application/json\" \\\n  -d '[\"{{accountId}}\"]'\n"
  },
  "cli": {
    "title": "Command line",
    "notes": "No tunnel is needed: the tool calls the HTTP API.",
    "install": null,
    "file": null,
    "run": "ledgerhouse tb lookup-accounts {{databaseId}} --id {{accountId}}\n"
  }
} as const;
