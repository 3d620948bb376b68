for (const box of document.querySelectorAll(".searchable")) {
  const rows = [...box.querySelectorAll("tbody tr")];
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "Search " + rows.length + " rows";
  field.setAttribute("aria-label", "Search this table");
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    for (const more of box.querySelectorAll("details.more")) more.open = wanted !== "";
  });
  box.prepend(field);
}
