// Preview of a file, read with a key: images, video, audio, PDF documents and text. The browser gets the bytes with the media type
// of their signature, which is never a page that runs scripts; other content opens only on the host for content.
// Tested by test/browser/previews.test.ts
import { useEffect, useState } from 'preact/hooks'
import { callFiles, type KeyPlace } from '../app/as-key.ts'
import { formatBytes } from '../app/format.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { Card } from '../ui/card.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { Empty, Show } from '../ui/note.tsx'
import { type ContentKind, kindOf, type ShownKind, textOf } from './content-kind.ts'

/** Maximum bytes read from a text. */
const textBytesMax = 64 * 1024
/** MiB. Larger content is not shown, because the browser holds all of it in memory. */
const shownBytesMax = { image: 8, pdf: 32, audio: 32, video: 64 } as const
const mebibyte = 1024 * 1024

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

/** `content` null: too large to show. */
type Read = { readonly kind: ContentKind; readonly content: Uint8Array<ArrayBuffer> | null }

async function read(
  place: KeyPlace,
  path: string,
  name: string,
  bytes: number,
  signal: AbortSignal,
): Promise<Read> {
  const first = await bytesOf(place, path, textBytesMax, signal)
  const kind = kindOf(first, name)
  if (kind.kind === 'text' || kind.kind === 'other' || bytes <= first.length) {
    return { kind, content: first }
  }
  const bytesMax = shownBytesMax[kind.kind] * mebibyte
  return { kind, content: bytes > bytesMax ? null : await bytesOf(place, path, bytesMax, signal) }
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
  if (kind.kind === 'other') {
    return (
      <Empty icon="file" title={`No preview of a ${kind.title}`}>
        Open it in the gateway, on a host of its own.
      </Empty>
    )
  }
  if (content === null) {
    const bytesMax = kind.kind === 'text' ? textBytesMax : shownBytesMax[kind.kind] * mebibyte
    return (
      <Empty icon="file" title="Too large for a preview">
        {`A ${kind.title} is shown up to ${formatBytes(bytesMax)}. Open it in the gateway.`}
      </Empty>
    )
  }
  if (kind.kind === 'text') {
    return <CodeBlock title="the content" text={shown(textOf(content) ?? '', kind.title)} wrapped />
  }
  if (kind.kind === 'pdf' && !navigator.pdfViewerEnabled) {
    return (
      <Empty icon="file" title="This browser shows no PDF documents">
        Download it to read it.
      </Empty>
    )
  }
  return <Shown kind={kind} content={content} />
}

function Shown({
  kind: { kind, type },
  content,
}: {
  readonly kind: ShownKind
  readonly content: Uint8Array<ArrayBuffer>
}) {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([content], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [content, type])
  if (url === null) return null
  switch (kind) {
    case 'image':
      return <img src={url} alt="The content of the file" />
    case 'video':
      return <video src={url} controls aria-label="The content of the file" />
    case 'audio':
      return <audio src={url} controls aria-label="The content of the file" />
    case 'pdf':
      return <iframe src={`${url}#navpanes=0`} title="The content of the file" />
  }
}

/** Formats complete JSON with line breaks. */
function shown(text: string, title: string): string {
  if (title !== 'JSON') return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
