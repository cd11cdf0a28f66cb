// docs/configuration.md and .env.example, from the settings table.
// Tested by test/docs.test.ts
import { leaves } from '../../src/config/config.ts'
import type { Leaf } from '../../src/config/leaf.ts'
import { markdownTable, page } from './markdown.ts'

export function configurationPage(): string {
  const rows = leaves.map((leaf) => [
    `\`${leaf.path}\``,
    `\`${leaf.env}\``,
    typeOf(leaf),
    `\`${JSON.stringify(leaf.initial)}\``,
    leaf.description + (leaf.secret ? ' Secret.' : ''),
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
- Numbers are whole and stand without quotes or separators in YAML. Changes need a restart.`,
    markdownTable(['Setting', 'Variable', 'Type', 'Default', 'Meaning'], rows),
  )
}

export function environmentExample(): string {
  const lines = leaves.map(
    (leaf) => `# ${leaf.description.replaceAll('`', '')}\n#${leaf.env}=${String(leaf.initial)}\n`,
  )
  return `# Every variable with its default; made from the settings table by npm run docs.\n\n${lines.join('\n')}`
}

function typeOf(leaf: Leaf): string {
  const name =
    leaf.choices.length > 0 ? leaf.choices.map((one) => `\`${one}\``).join(', ') : leaf.type
  return leaf.nullable ? `${name} or null` : name
}
