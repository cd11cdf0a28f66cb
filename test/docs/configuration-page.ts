// Generates docs/reference/settings.md and .env.example from the settings table.
// Tested by test/docs.test.ts
import { settingDefinitions } from '../../src/config/config.ts'
import type { SettingDefinition } from '../../src/config/setting-definition.ts'
import {
  embeddedSchema,
  listMembers,
  type Member,
  upstreamNetworkSchema,
} from '../../src/config/network-schema.ts'
import { sourceSchema } from '../../src/config/source-schema.ts'
import { markdownTable, page } from './markdown.ts'

export function configurationPage(): string {
  const rows = settingDefinitions.map((leaf) => [
    `\`${leaf.path}\``,
    `\`${leaf.env}\``,
    typeOf(leaf),
    `\`${JSON.stringify(leaf.initial)}\``,
    leaf.description + (leaf.secret ? ' Secret.' : '') + (leaf.live ? ' *Live.*' : ''),
  ])
  return page(
    'Settings',
    `No setting is required. Cairn reads, in ascending priority: defaults, a YAML file (\`--config FILE\` or \`CAIRN_CONFIG\`), environment
variables, and the options \`--port\`, \`--host\` and \`--data-dir\`. \`cairn init\` writes a file with every setting. \`cairn config check\`
validates the settings. \`cairn config print\` shows each value and its origin.

\`\`\`yaml
http:
  port: 8600
rpc:
  batchItemsMax: 200
\`\`\`

- An unknown name is an error, and the message suggests the nearest known name.
- \`\${env:NAME}\` and \`\${file:/path}\` in a value insert a variable or a file. \`CAIRN_…_FILE\` names a file that contains the value of
  \`CAIRN_…\`. \`config print\` redacts values from these origins.
- An empty variable counts as not set. Cairn ignores \`CAIRN_\` variables that do not resemble a setting; \`config check\` lists them.
- Relative paths start at the working directory. Names end in their unit: \`Ms\` is milliseconds, \`BytesMax\` is bytes.
- Numbers are integers, without quotes or separators.

**Changes while the server runs.** Cairn applies changes of the file within 2 s, or immediately on SIGHUP: networks behind upstreams,
and settings marked *Live*. It validates the whole file first: a file with an error changes nothing, and the log lists each error
(\`settings_refused\`). Requests in flight keep the old settings. The log names settings that need a restart
(\`settings_need_restart\`). Variables and options keep their values from the start. On a terminal, SIGHUP stops Cairn.`,
    markdownTable(['Setting', 'Variable', 'Type', 'Default', 'Meaning'], rows),
    sourcesText,
    membersTable('files.sources[].', listMembers(sourceSchema)),
    networksText,
    '### Behind upstream nodes',
    membersTable('networks[].', listMembers(upstreamNetworkSchema)),
    '### Embedded',
    membersTable('networks[].', listMembers(embeddedSchema)),
  )
}

const sourcesText = `## Sources of files

\`files.sources\` lists trustless HTTP gateways, other Cairns, or Kubo nodes, that supply missing file blocks. Without sources, and with
\`ipfsNetwork.mode: off\`, a missing block is reported as absent immediately.

\`\`\`yaml
files:
  sources:
    - url: https://gateway.example
    - url: http://127.0.0.1:8600
      name: other-cairn
      headers: {authorization: "\${env:OTHER_CAIRN}"}
\`\`\`

Cairn requests a block from the source that is likely to be fastest. It tries the next one if that source is slow, lacks the block,
fails, or sends invalid bytes; a source that fails or sends invalid bytes then pauses. Cairn verifies every block by its hash. It
connects only to the listed hosts and refuses redirects to other origins. Garbage collection removes fetched blocks that no pin
contains. Changes are *live*.

Another Cairn needs an API key in the URL or the headers, or \`gateway.public\`. With \`gateway.pinnedOnly\` it supplies only roots. It does
not query its own sources for such requests. \`CAIRN_FILES_SOURCES\` is the short form: URLs separated by commas, instead of the list.
\`CAIRN_FILES_SOURCES_FILE\` names a file that contains them.`

const networksText = `## Networks

\`networks\` lists the networks. The first is the default; clients select others by host label or path prefix. With this list, Cairn serves
exactly these networks: the embedded chain only if an entry has \`embedded: true\`, and the settings of \`chain\` are not allowed. Without the
list, Cairn serves the embedded chain of \`chain\`.

\`\`\`yaml
networks:
  - name: mainnet
    chainId: 1
    verify: {default: require, eth_getStorageAt: prefer}
    heads: {quorum: 2}
    upstreams:
      - url: http://127.0.0.1:9001
        trusted: true
      - url: https://127.0.0.1:9002
        headers: {authorization: "\${env:NODE_TOKEN}"}
  - name: dev
    embedded: true
\`\`\`

\`trusted\` affects heads and answers that cannot be proved. Cairn proves everything else for every upstream.
\`CAIRN_NETWORKS_MAINNET_UPSTREAMS\` is the short form: URLs separated by commas. They replace the upstreams of the network \`mainnet\` in the
file (a dash in a name becomes \`_\`). Without a list in the file, they define the network, if its chain ID is known (\`cairn start --help\` lists the names).
\`…_UPSTREAMS_FILE\` names a file that contains them. \`config print\` redacts headers, and keys in URLs.
[Put Cairn in front of your own nodes](../guides/own-nodes.md) is the guide.`

function membersTable(prefix: string, members: readonly Member[]): string {
  const rows = members.map(({ path, initial, isRequired, description, example }) => [
    `\`${prefix}${path}\``,
    isRequired ? 'required' : initial === undefined ? '' : `\`${JSON.stringify(initial)}\``,
    description,
    example === undefined ? '' : `\`${example}\``,
  ])
  return markdownTable(['Member', 'Default', 'Meaning', 'Example'], rows)
}

export function environmentExample(): string {
  const lines = settingDefinitions.map(
    (leaf) => `# ${leaf.description.replaceAll('`', '')}\n#${leaf.env}=${String(leaf.initial)}\n`,
  )
  const networks = `# URLs of upstream nodes of Ethereum mainnet, separated by commas. The same for SEPOLIA, HOODI and networks of the file.
#CAIRN_NETWORKS_MAINNET_UPSTREAMS=
`
  const sources = `# URLs of trustless gateways that supply missing file blocks, separated by commas.
#CAIRN_FILES_SOURCES=
`
  return `# Every variable with its default. Generated from the settings table by npm run docs.\n\n${[...lines, sources, networks].join('\n')}`
}

function typeOf(leaf: SettingDefinition): string {
  const name =
    leaf.choices.length > 0 ? leaf.choices.map((one) => `\`${one}\``).join(', ') : leaf.type
  return leaf.nullable ? `${name} or null` : name
}
