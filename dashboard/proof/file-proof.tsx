// Goes from a CID along a path to the bytes of a file, block by block, each checked here.
// Tested by test/browser/proof.test.ts
import { useState } from 'preact/hooks'
import { callFiles, type KeyPlace } from '../app/as-key.ts'
import { formatCount } from '../app/format.ts'
import { Card } from '../ui/card.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Note } from '../ui/note.tsx'
import { type BlockStone, blockStone } from './file-stones.ts'
import { FileStack } from './stack.tsx'

/** Blocks that are shown: a big file has more. */
const blocksMax = 64
const previewBytes = 4096

type Shown = {
  readonly stones: readonly BlockStone[]
  /** Links of the file that were not followed. */
  readonly left: number
  readonly preview: string | null
}

export function FileProof({
  place,
  asked,
}: {
  readonly place: KeyPlace
  readonly asked: string | null
}) {
  const [path, setPath] = useState(asked ?? '')
  const [shown, setShown] = useState<Shown | null>(null)
  const sending = useSending()
  return (
    <>
      <Card title="The file">
        <Form
          sending={sending}
          action="Fetch and prove"
          onSend={async () => {
            setShown(null)
            setShown(await follow(place, path.trim()))
          }}
        >
          <TextField
            title="CID, and a path below it"
            hint="bafybei…/folder/file.txt"
            value={path}
            onValue={setPath}
          />
        </Form>
      </Card>
      {shown !== null && <Found shown={shown} />}
    </>
  )
}

function Found({ shown: { stones, left, preview } }: { readonly shown: Shown }) {
  const isRight = stones.every((stone) => stone.isRight)
  return (
    <Card
      title="From the CID to the bytes"
      about="Each block is right when the hash of its bytes is the one in the CID that named it."
    >
      <Note tone={isRight ? 'good' : 'bad'}>
        {isRight
          ? `Proved in this browser: ${formatCount(stones.length, 'block')}, each by its own hash.`
          : 'A block is not what its CID names.'}
      </Note>
      <FileStack stones={stones} />
      {left > 0 && (
        <p class="soft">{`The file has ${formatCount(left, 'more block')} that ${left === 1 ? 'is' : 'are'} not shown.`}</p>
      )}
      {preview !== null && (
        <div class="field">
          <span class="field-title">The content begins</span>
          <pre class="raw" tabIndex={0}>
            {preview}
          </pre>
        </div>
      )}
    </Card>
  )
}

async function follow(place: KeyPlace, path: string): Promise<Shown> {
  const [root = '', ...names] = path
    .replace(/^\/?(ipfs\/)?/, '')
    .split('/')
    .filter((segment) => segment !== '')
  const stones: BlockStone[] = []
  let at = await fetchBlock(place, root)
  stones.push(at)
  for (const name of names) {
    const link = at.links.find((one) => one.name === name)
    if (link === undefined) throw new Error(`${at.cid} has no entry named ${name}`)
    at = await fetchBlock(place, link.cid)
    stones.push(at)
  }
  const content: Uint8Array[] = at.content === null ? [] : [at.content]
  const waiting = at.title === 'Node of a file' ? at.links.map(({ cid }) => cid) : []
  while (waiting.length > 0 && stones.length < blocksMax) {
    const stone = await fetchBlock(place, waiting.shift() ?? '')
    stones.push(stone)
    if (stone.content !== null) content.push(stone.content)
    waiting.unshift(...stone.links.map(({ cid }) => cid))
  }
  return { stones, left: waiting.length, preview: previewOf(content) }
}

async function fetchBlock(place: KeyPlace, cid: string): Promise<BlockStone> {
  const response = await callFiles(place, 'block/get', { arg: cid })
  return blockStone(cid, new Uint8Array(await response.arrayBuffer()))
}

/** Text as text, anything else not at all. */
function previewOf(pieces: readonly Uint8Array[]): string | null {
  const first = new Uint8Array(previewBytes)
  let length = 0
  for (const piece of pieces) {
    const part = piece.slice(0, previewBytes - length)
    first.set(part, length)
    length += part.length
  }
  if (length === 0) return null
  const text = new TextDecoder().decode(first.slice(0, length))
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text.slice(0, -1)) ? null : text
}
