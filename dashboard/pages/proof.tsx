// The proof of an answer, piece by piece, checked in the browser: from the hash of a block to a value, or from a CID to
// the bytes of a file.
// Tested by test/browser/proof.test.ts
import { useState } from 'preact/hooks'
import { type Choices, KeyFields, NoKey, useChoices, useKeyChoice } from '../app/choose-key.tsx'
import { usePlace } from '../app/router.tsx'
import { AnswerProof } from '../proof/answer-proof.tsx'
import { FileProof } from '../proof/file-proof.tsx'
import '../style/proof.css'
import { Card, PageHead } from '../ui/card.tsx'
import { Show } from '../ui/note.tsx'
import { Tabs } from '../ui/tabs.tsx'

const views = [
  { name: 'answer', title: 'An answer of a chain' },
  { name: 'file', title: 'A file by its CID' },
] as const

export function ProofPage() {
  const choices = useChoices()
  return (
    <>
      <PageHead
        title="Proof"
        about="Every piece that an answer follows from. The hashes are worked out here, in your browser; nothing is taken on trust but the hash you started from."
      />
      <Show loaded={choices}>{(value) => <Views choices={value} />}</Show>
    </>
  )
}

function Views({ choices }: { readonly choices: Choices }) {
  const choice = useKeyChoice(choices)
  const asked = usePlace().query
  const [view, setView] = useState<'answer' | 'file'>(asked.has('cid') ? 'file' : 'answer')
  if (choice.place === null) {
    return <NoKey title="There is no key to ask with" />
  }
  return (
    <div class="stack">
      <Tabs title="What is proved" tabs={views} chosen={view} onChoose={(name) => setView(name)}>
        <div class="stack">
          <Card>
            <KeyFields choices={choices} choice={choice} withNetwork={view === 'answer'} />
          </Card>
          {view === 'answer' ? (
            <AnswerProof
              place={choice.place}
              network={choice.network}
              asked={{ method: asked.get('method'), params: asked.get('params') }}
            />
          ) : (
            <FileProof place={choice.place} asked={asked.get('cid')} />
          )}
        </div>
      </Tabs>
    </div>
  )
}
