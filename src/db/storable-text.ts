// Checks text that every database engine can store: PostgreSQL refuses NUL and lone surrogates.
// Tested by src/kubo/psa/pin-objects.test.ts, src/kubo/remote-pins/pin-remotes.test.ts,
// test/admin/admin-audit.test.ts

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
