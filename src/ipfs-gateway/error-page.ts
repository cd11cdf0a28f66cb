// The HTML page of a refusal, for clients that accept HTML: an explanation for people, and the contact for questions about denied
// content.
// Tested by src/ipfs-gateway/error-page.test.ts
import { documentHead, escapeHtml, pageEnd } from './html-page.ts'

const titles: ReadonlyMap<number, string> = new Map([
  [400, 'This address cannot be served'],
  [401, 'API key required'],
  [402, 'Payment required'],
  [403, 'Not allowed'],
  [404, 'Not found'],
  [405, 'Method not allowed'],
  [406, 'Not available in this format'],
  [410, 'No longer available'],
  [412, 'Not stored here'],
  [416, 'Range outside the content'],
  [429, 'Too many requests'],
  [451, 'Unavailable for legal reasons'],
  [501, 'Not supported'],
  [502, 'The content could not be fetched'],
  [503, 'The server is busy'],
  [504, 'The content could not be fetched in time'],
])

const advice: ReadonlyMap<number, string> = new Map([
  [401, 'This server shows the content to clients with an API key and its secret.'],
  [404, 'Check the CID and the path. The content may not be stored or pinned on this server.'],
  [429, 'Wait a moment, then load the page again.'],
  [503, 'Wait a moment, then load the page again.'],
  [504, 'Load the page again later: the servers that have the content may be slow or offline.'],
])

/** `message`: the text that programs receive. `contact`: for questions about denied content; null: none. */
export function errorPage(status: number, message: string, contact: string | null): string {
  const title = titles.get(status) ?? 'The server failed'
  const hint = advice.get(status)
  return `${documentHead(`${status} ${title}`)}<h1>${title}</h1>
<p>${escapeHtml(message)}</p>
${hint === undefined ? '' : `<p>${hint}</p>\n`}${contactLine(status, contact)}<p class="dim">Error ${status}, IPFS gateway</p>
${pageEnd}`
}

function contactLine(status: number, contact: string | null): string {
  if (contact === null || !isDenial(status)) return ''
  const href = contact.includes('://') ? contact : `mailto:${contact}`
  return `<p>Questions about this decision: <a href="${escapeHtml(href)}">${escapeHtml(contact)}</a></p>\n`
}

/** The statuses of denied content. */
export function isDenial(status: number): boolean {
  return status === 410 || status === 451
}
