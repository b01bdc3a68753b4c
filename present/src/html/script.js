"use strict";
const roles = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", "thead th": "columnheader", "tbody th": "rowheader", td: "cell" };
for (const table of document.querySelectorAll("table.sortable")) {
  // On a narrow screen a row is a card; it stays a row for those who hear it.
  table.setAttribute("role", roles.table);
  for (const [part, role] of Object.entries(roles)) table.querySelectorAll(part).forEach((one) => one.setAttribute("role", role));
  const body = table.tBodies[0];
  table.querySelectorAll("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const upwards = head.getAttribute("aria-sort") !== "ascending";
      table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", upwards ? "ascending" : "descending");
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const numbers = [...body.rows].every((row) => value(row) === "" || !Number.isNaN(Number(value(row))));
      const order = (a, b) => {
        const [x, y] = [value(a), value(b)];
        if (numbers && (x === "" || y === "")) return (x === "") - (y === "");
        const way = numbers ? Number(x) - Number(y) : x.localeCompare(y, "en", { numeric: true });
        return upwards ? way : -way;
      };
      body.append(...[...body.rows].sort(order));
    });
  });
}
// On a narrow screen a long table shows of each row its name and its first figure, until the name is pressed.
const narrow = matchMedia("(max-width: 48rem)");
const fold = () => {
  for (const table of document.querySelectorAll("table.sortable")) {
    const folds = narrow.matches && table.tBodies[0].rows.length > 8;
    if (folds === table.classList.contains("folds")) continue;
    table.classList.toggle("folds", folds);
    for (const row of table.tBodies[0].rows) {
      const name = row.cells[0];
      if (!folds) {
        name.replaceChildren(...name.firstChild.childNodes);
        continue;
      }
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-expanded", "false");
      button.append(...name.childNodes);
      button.addEventListener("click", () => button.setAttribute("aria-expanded", String(row.classList.toggle("open"))));
      name.append(button);
    }
  }
};
narrow.addEventListener("change", fold);
fold();
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
