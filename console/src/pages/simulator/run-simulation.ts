import { ApiError } from '../../interface/api-error.ts';
import { type Api, type Schemas, settle } from '../../interface/client.ts';

type Line = { progress: number } | { result: Schemas['Simulation'] } | { error: Schemas['Error'] };

const LOST = 'The connection was lost before the simulation was done.';
const STOPPED = 'The simulation took too long and was stopped. Try it with fewer players or fewer rolls.';

const readChunk = (reader: ReadableStreamDefaultReader<Uint8Array>) =>
  reader.read().catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, LOST);
  });

/** The lines of a response as they arrive. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await readChunk(reader);
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Told how far the simulation is, from 0 to 1. */
  readonly onProgress: (progress: number) => void;
}

/** Runs a simulation; aborting the signal ends it on the service, too. */
export const runSimulation = async (
  api: Api,
  body: Schemas['SimulationRequest'],
  { signal, onProgress }: RunOptions,
): Promise<Schemas['Simulation']> => {
  const headers = { accept: 'application/x-ndjson' };
  const { data } = await settle(api.POST('/templates/simulate', { body, headers, parseAs: 'stream', signal }));
  if (data === null) throw new ApiError(0, LOST);
  for await (const line of linesOf(data)) {
    if ('progress' in line) onProgress(line.progress);
    else if ('result' in line) return line.result;
    else {
      const { code, message, issues } = line.error;
      throw new ApiError(500, code === 'SERVICE_UNAVAILABLE' ? STOPPED : message, issues);
    }
  }
  throw new ApiError(0, LOST);
};
