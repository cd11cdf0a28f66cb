// Incomplete uploads that the browser remembers: a fingerprint of the files, and the upload's ID at the server.
// Tested by test/browser/uploads.test.ts

type Begun = { readonly fingerprint: string; readonly id: string; readonly time: number }

const place = 'cairn-uploads'
/** The server removes an upload one day after it started. */
const lifeMs = 86_400_000
const begunMax = 32

/** Null: none. */
export function findUpload(fingerprint: string): string | null {
  return read().find((one) => one.fingerprint === fingerprint)?.id ?? null
}

/** `id` null: forgets it. Beyond 32 uploads, the oldest is forgotten. */
export function rememberUpload(fingerprint: string, id: string | null): void {
  const others = read().filter((one) => one.fingerprint !== fingerprint)
  const all = id === null ? others : [{ fingerprint, id, time: Date.now() }, ...others]
  localStorage.setItem(place, JSON.stringify(all.slice(0, begunMax)))
}

function read(): readonly Begun[] {
  try {
    const all = JSON.parse(localStorage.getItem(place) ?? '[]') as readonly Begun[]
    return all.filter(({ time }) => Date.now() - time < lifeMs)
  } catch {
    return []
  }
}
