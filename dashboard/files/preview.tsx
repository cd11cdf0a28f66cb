// Preview of a file: images and text, read as a key. An image is drawn from its bytes in an `img`, which runs no script; other
// content opens on the host for content only.
// Tested by test/browser/files.test.ts
import { useEffect, useState } from 'preact/hooks'
import { callFiles, type KeyPlace } from '../app/as-key.ts'
import { formatBytes } from '../app/format.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Card } from '../ui/card.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { type ContentKind, kindOf, textOf } from './content-kind.ts'

/** Bytes read of a text, and of an image, which is not drawn if it is larger. */
const textBytesMax = 64 * 1024
const imageBytesMax = 8 * 1024 * 1024

export function Preview({
  place,
  path,
  name,
  bytes,
}: {
  readonly place: KeyPlace
  readonly path: string
  readonly name: string
  readonly bytes: number
}) {
  const found = useLoaded((signal) => read(place, path, name, bytes, signal), [path])
  return (
    <Card>
      <Show loaded={found}>
        {({ kind, content }) => (
          <>
            <div class="preview">
              <Content kind={kind} content={content} />
            </div>
            <small class="soft">
              {kind.title}
              {kind.kind === 'text' && bytes > textBytesMax
                ? `, the first ${formatBytes(textBytesMax)} of ${formatBytes(bytes)}`
                : `, ${formatBytes(bytes)}`}
            </small>
          </>
        )}
      </Show>
    </Card>
  )
}

type Read = { readonly kind: ContentKind; readonly content: Uint8Array<ArrayBuffer> }

async function read(
  place: KeyPlace,
  path: string,
  name: string,
  bytes: number,
  signal: AbortSignal,
): Promise<Read> {
  const first = await bytesOf(place, path, textBytesMax, signal)
  const kind = kindOf(first, name)
  const isWhole = kind.kind !== 'image' || bytes <= first.length || bytes > imageBytesMax
  return { kind, content: isWhole ? first : await bytesOf(place, path, imageBytesMax, signal) }
}

async function bytesOf(
  place: KeyPlace,
  path: string,
  length: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const sent = { arg: path, length: String(length) }
  return new Uint8Array(await (await callFiles(place, 'cat', sent, { signal })).arrayBuffer())
}

function Content({ kind, content }: Read) {
  switch (kind.kind) {
    case 'image':
      return <Picture type={kind.type} content={content} />
    case 'text':
      return (
        <CodeBlock title="the content" text={shown(textOf(content) ?? '', kind.title)} wrapped />
      )
    case 'other':
      return (
        <Empty icon="file" title={`No preview of a ${kind.title}`}>
          Open it in the gateway, on a host of its own.
        </Empty>
      )
  }
}

function Picture({
  type,
  content,
}: {
  readonly type: string
  readonly content: Uint8Array<ArrayBuffer>
}) {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([content], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [content, type])
  return url === null ? null : <img src={url} alt="The content of the file" />
}

/** Whole JSON with line breaks. */
function shown(text: string, title: string): string {
  if (title !== 'JSON') return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
