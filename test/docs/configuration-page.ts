// docs/reference/settings.md and .env.example, from the settings table.
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
    'Configuration',
    `Nothing needs to be set. Later places win: defaults, a YAML file (\`--config FILE\` or \`CAIRN_CONFIG\`), the
environment, flags (\`--port\`, \`--host\`, \`--data-dir\`). An unknown name is refused with the nearest known one;
\`cairn config check\` judges the settings, \`cairn config print\` shows each with where it came from.

\`\`\`yaml
http:
  port: 8600
rpc:
  batchItemsMax: 200
\`\`\`

- \`\${env:NAME}\` and \`\${file:/path}\` inside a value are replaced by that variable or file, and \`CAIRN_…_FILE\` names a
  file that holds the value of \`CAIRN_…\`. What came in by one of these is redacted by \`config print\`.
- An empty variable counts as not given. \`CAIRN_\` variables that are nothing like a setting are let be (other programs
  set some); \`config check\` lists them.
- Paths start at the folder that Cairn runs in. Names end in their unit: \`Ms\` milliseconds, \`BytesMax\` bytes.
- Numbers are whole and stand without quotes or separators in YAML.
- **Changes of the file are taken over while the server runs**, within two seconds or at SIGHUP: networks behind upstreams,
  and the settings marked *live*. They are checked first and taken whole: a file with a mistake changes nothing, and the log
  names each mistake (\`settings_refused\`). Requests under way end as they began. What needs a restart is logged by name
  (\`settings_need_restart\`). Variables and flags are those of the start. On a terminal SIGHUP ends Cairn.`,
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

\`files.sources\` lists who is asked for blocks of files that are not here: trustless HTTP gateways, other Cairns among them.
Without any, a block that is not here is said to be absent at once.

\`\`\`yaml
files:
  sources:
    - url: https://gateway.example
    - url: http://127.0.0.1:8600
      name: other-cairn
      headers: {authorization: "\${env:OTHER_CAIRN}"}
\`\`\`

The one that is likely to be quickest is asked first, the next one when it takes long, has nothing, fails or lies; who
fails or lies is left alone for a while. Each block is proved by its hash before it is used, so a source can cost time
and nothing else. Only these hosts are asked: a redirect to another origin is refused. What was fetched is kept, and goes
with the next sweep when nothing pinned reaches it. Changes are *live*. Another Cairn gives blocks with
a key of its own in the URL or the headers, or where \`gateway.public\` is on; with \`gateway.pinnedOnly\` it would give roots
and nothing below them. What it lacks itself it looks for nowhere else then. \`CAIRN_FILES_SOURCES\` is the short form: URLs
separated by commas, in place of the list; \`CAIRN_FILES_SOURCES_FILE\` names a file that holds them.`

const networksText = `## Networks

\`networks\` is a list: the first one is the default, the others are chosen by Host label or path prefix. A file that names
networks has exactly those: no embedded chain unless one has \`embedded: true\`, and no setting of \`chain\` beside them.
Without the list the embedded chain of \`chain\` is served.

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

Whether an upstream is trusted or not, what can be proved is proved: \`trusted\` is about the newest block and about answers
that nobody can prove. \`CAIRN_NETWORKS_MAINNET_UPSTREAMS\` is the short form: URLs separated by commas, in place of the
upstreams that the file gives the network \`mainnet\` (a dash in a name is \`_\`), or of the whole list for \`mainnet\`,
\`sepolia\` and \`hoodi\`; \`…_UPSTREAMS_FILE\` names a file that holds them. Headers, and keys in URLs, are redacted by
\`config print\`.`

function membersTable(prefix: string, members: readonly Member[]): string {
  const rows = members.map(({ path, initial, isRequired, description, example }) => [
    `\`${prefix}${path}\``,
    isRequired ? 'needed' : initial === undefined ? '' : `\`${JSON.stringify(initial)}\``,
    description,
    example === undefined ? '' : `\`${example}\``,
  ])
  return markdownTable(['Member', 'Default', 'Meaning', 'Example'], rows)
}

export function environmentExample(): string {
  const lines = settingDefinitions.map(
    (leaf) => `# ${leaf.description.replaceAll('`', '')}\n#${leaf.env}=${String(leaf.initial)}\n`,
  )
  const networks = `# URLs of upstream nodes of Ethereum mainnet, separated by commas; so for SEPOLIA, HOODI and named networks.
#CAIRN_NETWORKS_MAINNET_UPSTREAMS=
`
  const sources = `# URLs of trustless gateways that are asked for files that are not here, separated by commas.
#CAIRN_FILES_SOURCES=
`
  return `# Every variable with its default; made from the settings table by npm run docs.\n\n${[...lines, sources, networks].join('\n')}`
}

function typeOf(leaf: SettingDefinition): string {
  const name =
    leaf.choices.length > 0 ? leaf.choices.map((one) => `\`${one}\``).join(', ') : leaf.type
  return leaf.nullable ? `${name} or null` : name
}
