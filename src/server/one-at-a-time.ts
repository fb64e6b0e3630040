/** Makes a function that does the tasks of one key one after the other, in the order they came. */
export function oneAtATime(): <Result>(key: string, task: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return (key, task) => {
    const result = (last.get(key) ?? Promise.resolve()).then(task, task);
    last.set(key, result);
    const forget = () => {
      if (last.get(key) === result) last.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}
