// The connection to Python: questions with answers, and messages to all pages.

export interface Answer { id: number; type: string; text?: string; made?: unknown; [key: string]: unknown }
type Listener = (message: Answer) => void;

export class Line {
  open = false;
  waiting = 0; // questions without an answer
  rounds: number[] = []; // ms of the last answers
  private socket!: WebSocket;
  private count = 0;
  private readonly asked = new Map<number, { take: (answer: Answer) => void; begun: number }>();
  private tries = 0;

  constructor(private readonly listen: Listener, private readonly changed: (open: boolean) => void) { this.connect(); }

  private connect(): void {
    const address = new URL("line", location.href);
    address.protocol = "ws:";
    this.socket = new WebSocket(address);
    this.socket.onopen = () => { this.open = true; this.tries = 0; this.changed(true); };
    this.socket.onmessage = (event) => this.take(JSON.parse(event.data as string) as Answer);
    this.socket.onclose = () => {
      this.open = false;
      for (const one of this.asked.values()) one.take({ id: 0, type: "error", text: "Python does not answer" });
      this.asked.clear();
      this.waiting = 0;
      this.changed(false);
      this.tries += 1;
      setTimeout(() => this.connect(), Math.min(500 * this.tries, 5000));
    };
  }

  private take(answer: Answer): void {
    const found = answer.id ? this.asked.get(answer.id) : undefined;
    if (!found) return this.listen(answer);
    this.asked.delete(answer.id);
    this.waiting -= 1;
    this.rounds.push(performance.now() - found.begun);
    if (this.rounds.length > 500) this.rounds.shift();
    found.take(answer);
  }

  /** Ask Python; the answer has the type "error" if something is wrong. */
  ask(message: Record<string, unknown>): Promise<Answer> {
    if (!this.open) return Promise.resolve({ id: 0, type: "error", text: "Python does not answer" });
    const id = ++this.count;
    this.waiting += 1;
    return new Promise((take) => {
      this.asked.set(id, { take, begun: performance.now() });
      this.socket.send(JSON.stringify({ id, ...message }));
    });
  }
}

/** Sends one message at a time; of those that come meanwhile only the last. */
export class Latest {
  private busy = false;
  private next: (() => Promise<void>) | null = null;

  constructor(private readonly line: Line, private readonly take: (answer: Answer) => void) {}

  send(message: Record<string, unknown>): void {
    const go = async () => {
      const answer = await this.line.ask(message);
      if (!this.dropped) this.take(answer);
    };
    if (this.busy) { this.next = go; return; }
    void this.run(go);
  }

  private dropped = false;

  /** Answers that are on their way are ignored. */
  drop(): void { this.next = null; this.dropped = true; }

  private async run(go: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.dropped = false;
    await go();
    while (this.next) {
      const following: () => Promise<void> = this.next;
      this.next = null;
      this.dropped = false;
      await following();
    }
    this.busy = false;
  }
}
