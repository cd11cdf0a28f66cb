// CSV for spreadsheets (RFC 4180).
// Tested by test/admin/admin-usage.test.ts, test/admin/admin-audit.test.ts

/** `rows`: headings first. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('')
}

/** Prefixes a text that a spreadsheet would run as a formula. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
