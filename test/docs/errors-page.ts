// Generates docs/reference/errors.md from the fault table.
// Tested by test/docs.test.ts
import { faults } from '../../src/base/fault.ts'
import type { FaultRow } from '../../src/base/fault.ts'
import { markdownTable, page } from './markdown.ts'

export function errorsPage(): string {
  const rows = Object.entries(faults).map(([code, row]: [string, FaultRow]) => [
    `\`${code}\``,
    `${row.status}`,
    `${row.rpc}`,
    row.message,
    row.retry,
    row.bare === true ? 'no' : 'yes',
    `${row.files?.status ?? row.status}`,
    row.files?.text === true ? 'plain text' : `${row.kubo}`,
    row.files?.message ?? (row.files?.text === true ? row.message : 'the same'),
    `${row.paths ?? row.files?.status ?? row.status}`,
  ])
  const headings = ['Code', 'HTTP', 'JSON-RPC', 'Message', 'Retry', 'Data']
  return page(
    'Errors',
    `Cairn returns one of these errors instead of a result. The message is the default; most errors carry a more specific text that names the
value.

| API | Form |
|---|---|
| JSON-RPC | \`code\`, \`message\` and, if the column Data says so, \`data\` with \`code\` (first column) and details |
| IPFS API | \`{"Message","Code","Type":"error"}\`, or plain text |
| IPFS gateway | the message as plain text, with the status of the last column |
| admin API | \`{"error":{"code","message","data"}}\` |

Decide on retries by the column Retry, not by numbers. \`later\`: retry with backoff. \`tomorrow\`: retry after 00:00 UTC. \`never\`: change the
request first. Texts with *project id* are Infura's; they mean the API key.`,
    markdownTable(
      [...headings, 'IPFS: HTTP', 'IPFS: Code', 'IPFS: Message', 'Gateway: HTTP'],
      rows,
    ),
  )
}
